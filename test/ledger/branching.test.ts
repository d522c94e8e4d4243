import { describe, expect, it } from "vitest";
import { exportSession, GrownList, importSession, sweepDue } from "../../src/ledger/index.ts";
import { Conversation, HOUR, message, sessionKey, textsOf } from "./conversation.ts";

describe("branching off", () => {
  it("adds a snapshot behind any other, which becomes the head", async () => {
    const talk = new Conversation();
    const first = await talk.say("a");
    await talk.say("b");
    const start = (await talk.tree.find(talk.key, first.snapshotId))!;
    const content = {
      messages: GrownList.of([message("user", "edited")]),
      artifacts: [],
      custom: { by: "hand" },
    };
    const branched = await talk.tree.branch(talk.key, start, content);
    expect(branched).toMatchObject({
      kind: "branched",
      snapshot: { parentId: first.snapshotId, status: "completed", rev: 3 },
    });
    expect((await talk.tree.findHead(talk.key))?.content).toEqual(content);
    expect(textsOf(await talk.contentOf(first.snapshotId))).toEqual(["a", "re: a"]);
    const next = await talk.say("c");
    expect(textsOf(await talk.contentOf(next.snapshotId))).toEqual(["edited", "c", "re: c"]);
    const record = (await talk.store.load(talk.key)).record;
    expect(record).toMatchObject({ rev: 4, branches: 2, head: next.snapshotId });
  });

  it("stores no state twice when nothing was edited", async () => {
    const talk = new Conversation();
    await talk.say("a");
    const start = (await talk.tree.findHead(talk.key))!;
    await talk.tree.branch(talk.key, start, start.content);
    expect(await talk.rows("delta/")).toHaveLength(1);
    expect(textsOf((await talk.tree.findHead(talk.key))?.content)).toEqual(["a", "re: a"]);
  });

  it("is refused while a turn runs or waits, and where nothing can go on", async () => {
    const talk = new Conversation();
    await talk.say("a");
    const start = (await talk.tree.findHead(talk.key))!;
    const work = await talk.begin({ input: "b" });
    expect(await talk.tree.branch(talk.key, start, start.content)).toEqual({ kind: "busy" });
    await talk.ledger.abort(talk.key, { runId: work.claim.runId });
    await talk.ledger.release(talk.key, work.claim);
    const aborted = (await talk.tree.find(talk.key, work.claim.snapshotId))!;
    expect(await talk.tree.branch(talk.key, aborted, start.content)).toEqual({
      kind: "parent-not-continuable",
      status: "aborted",
    });
    await talk.ledger.remove(talk.key);
    expect(await talk.tree.branch(talk.key, start, start.content)).toEqual({
      kind: "no-such-parent",
    });
  });
});

describe("what a session is called", () => {
  it("is changed in part, survives turns, and moves with the file", async () => {
    const talk = new Conversation();
    await talk.say("a");
    const about = async () => (await talk.store.load(talk.key)).record?.about;
    await talk.tree.annotate(talk.key, { about: { title: "First" } });
    await talk.tree.annotate(talk.key, { about: { tags: ["x"] } });
    await talk.say("b");
    expect(await about()).toEqual({ title: "First", tags: ["x"] });
    const lines: string[] = [];
    for await (const line of exportSession(talk.ledger, talk.key)) lines.push(line);
    await importSession(talk.ledger, sessionKey("copy"), lines);
    expect((await talk.store.load(sessionKey("copy"))).record?.about).toEqual(await about());
    await talk.tree.annotate(talk.key, { about: { title: null, tags: [] } });
    expect(await about()).toBeUndefined();
  });
});

describe("the runs of a session", () => {
  it("are told as they run, wait, and end", async () => {
    const talk = new Conversation();
    const done = await talk.say("a");
    const work = await talk.begin({ input: "b" });
    await talk.ledger.accept(talk.key, { input: "c", onBusy: "queue" });
    const runs = await talk.tree.listRuns(talk.key);
    expect(runs.map(({ phase }) => phase)).toEqual(["completed", "running", "queued"]);
    expect(runs[0]).toMatchObject({
      runId: done.runId,
      snapshotIds: [done.snapshotId],
      isReadable: true,
    });
    expect(runs[1]).toMatchObject({ attempt: 1, leaseUntil: talk.now + 1000 });
    await talk.ledger.abort(talk.key, { runId: work.claim.runId });
    const [, aborted] = await talk.tree.listRuns(talk.key);
    expect(aborted).toMatchObject({ phase: "aborted", reason: "abort", endedAt: talk.now });
    expect(await talk.tree.listRuns(sessionKey("none"))).toEqual([]);
  });

  it("are remembered by their snapshots when their rows are gone", async () => {
    const talk = new Conversation();
    const { runId, snapshotId } = await talk.say("a", {
      outcome: { status: "failed", finishReason: "failed" },
    });
    talk.now += 25 * HOUR;
    await sweepDue(talk.ledger);
    expect(await talk.rows("run/")).toEqual([]);
    expect(await talk.tree.listRuns(talk.key)).toMatchObject([
      { runId, phase: "failed", snapshotIds: [snapshotId], isReadable: false },
    ]);
  });

  it("between two turns are open", async () => {
    const talk = new Conversation();
    await talk.say("a", { outcome: { endsRun: false } });
    expect(await talk.tree.listRuns(talk.key)).toMatchObject([{ phase: "open" }]);
  });
});
