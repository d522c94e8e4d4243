import { describe, expect, it } from "vitest";
import { EMPTY_CONTENT, exportSession, importSession, sweepDue } from "../../src/ledger/index.ts";
import { answered, Conversation, HOUR, sessionKey, textsOf } from "./conversation.ts";

describe("forking", () => {
  it("starts a session of its own at any snapshot", async () => {
    const talk = new Conversation();
    const first = await talk.say("a");
    await talk.say("b");
    const forked = await talk.tree.fork(talk.key, {
      snapshotId: first.snapshotId,
      sessionId: "fork",
    });
    expect(forked).toMatchObject({
      kind: "forked",
      snapshot: { forkedFrom: { sessionId: "session", snapshotId: first.snapshotId } },
    });
    await talk.ledger.remove(talk.key);
    expect(textsOf((await talk.tree.findHead(sessionKey("fork")))?.content)).toEqual([
      "a",
      "re: a",
    ]);
  });

  it("takes edited content", async () => {
    const talk = new Conversation();
    await talk.say("a");
    const content = { ...EMPTY_CONTENT, custom: { edited: true } };
    await talk.tree.fork(talk.key, { sessionId: "fork", content });
    expect((await talk.tree.findHead(sessionKey("fork")))?.content).toEqual(content);
  });

  it("refuses an id that is taken, a snapshot that is not there and a blank id", async () => {
    const talk = new Conversation();
    await talk.say("a");
    expect(await talk.tree.fork(talk.key, { sessionId: "session" })).toEqual({ kind: "exists" });
    const missing = talk.tree.fork(talk.key, { sessionId: "x", snapshotId: "nowhere" });
    await expect(missing).rejects.toMatchObject({ status: "NOT_FOUND" });
    await expect(talk.tree.fork(talk.key, { sessionId: "  " })).rejects.toMatchObject({
      status: "INVALID_ARGUMENT",
    });
  });
});

describe("labels and pins", () => {
  it("name a snapshot until moved or removed", async () => {
    const talk = new Conversation();
    const first = await talk.say("a");
    const second = await talk.say("b");
    await talk.tree.annotate(talk.key, { label: "good", snapshotId: first.snapshotId });
    await talk.tree.annotate(talk.key, { label: "good", snapshotId: second.snapshotId });
    expect((await talk.store.load(talk.key)).record?.labels).toEqual([
      { name: "good", snapshotId: second.snapshotId },
    ]);
    await talk.tree.annotate(talk.key, { removeLabel: "good" });
    expect((await talk.store.load(talk.key)).record?.labels).toEqual([]);
  });

  it("are refused for a snapshot that is not there, and beyond their number", async () => {
    const talk = new Conversation();
    const { snapshotId } = await talk.say("a");
    expect(await talk.tree.annotate(talk.key, { pin: "nowhere" })).toEqual({
      kind: "no-such-snapshot",
    });
    for (let label = 0; label < 32; label += 1) {
      expect(await talk.tree.annotate(talk.key, { label: `${label}`, snapshotId })).toEqual({
        kind: "noted",
      });
    }
    expect(await talk.tree.annotate(talk.key, { label: "one more", snapshotId })).toEqual({
      kind: "too-many",
      limit: 32,
    });
  });
});

describe("sweeping", () => {
  it("removes the rows of runs a day after they ended, and nothing of what they led to", async () => {
    const talk = new Conversation();
    await talk.say("a", { submission: { requestId: "r" } });
    const { snapshotId } = await talk.say("b");
    await sweepDue(talk.ledger);
    expect((await talk.rows("event/")).length).toBe(2);
    talk.now += 24 * HOUR;
    expect(await sweepDue(talk.ledger)).toMatchObject({ sessions: 1, runs: 2, requests: 1 });
    const kinds = new Set((await talk.rows()).map((key) => key.split("/")[0]));
    expect(kinds).toEqual(new Set(["delta", "snapshot"]));
    expect(textsOf(await talk.contentOf(snapshotId))).toEqual(["a", "re: a", "b", "re: b"]);
    expect((await talk.store.load(talk.key)).record?.sweepAt).toBeNull();
  });

  it("leaves a run that still works alone, however old, and forgets one that was left open", async () => {
    const talk = new Conversation({ leaseMs: 1000 * HOUR });
    const { claim } = await talk.begin({ input: "a" });
    talk.now += 8 * 24 * HOUR;
    await sweepDue(talk.ledger);
    expect((await talk.rows(`run/${claim.runId}`)).length).toBe(1);
    const content = EMPTY_CONTENT;
    await talk.ledger.finish(
      talk.key,
      { claim, inputs: ["a"] },
      { status: "completed", content, endsRun: false },
    );
    talk.now += 24 * HOUR;
    await sweepDue(talk.ledger);
    expect(await talk.rows("run/")).toEqual([]);
  });

  it("forgets deleted sessions after a week", async () => {
    const talk = new Conversation();
    await talk.say("a");
    await talk.ledger.remove(talk.key);
    await sweepDue(talk.ledger);
    expect((await talk.store.load(talk.key)).version).toBeGreaterThan(0);
    talk.now += 7 * 24 * HOUR;
    expect(await sweepDue(talk.ledger)).toMatchObject({ forgotten: 1 });
    expect((await talk.store.load(talk.key)).version).toBe(0);
  });

  it("keeps the last snapshots and, of the others, branch points, labelled, pinned and open interrupts", async () => {
    const talk = new Conversation({ retention: { snapshots: { keepLast: 2, olderThanMs: HOUR } } });
    const branchPoint = await talk.say("branch point");
    const plain = await talk.say("plain");
    const pinned = await talk.say("pinned");
    const labelled = await talk.say("labelled");
    const open = await talk.say("open", { outcome: { finishReason: "interrupted" } });
    const aside = await talk.say("aside", { submission: { parentId: branchPoint.snapshotId } });
    const last = await talk.say("last");
    await talk.tree.annotate(talk.key, { pin: pinned.snapshotId });
    await talk.tree.annotate(talk.key, { label: "mine", snapshotId: labelled.snapshotId });
    talk.now += 24 * HOUR;
    expect(await sweepDue(talk.ledger)).toMatchObject({ snapshots: 1 });
    const left = (await talk.tree.list(talk.key)).map(({ snapshotId }) => snapshotId);
    expect(left).toEqual(
      [branchPoint, pinned, labelled, open, aside, last].map(({ snapshotId }) => snapshotId),
    );
    expect(await talk.contentOf(plain.snapshotId)).toBeUndefined();
    expect(textsOf(await talk.contentOf(pinned.snapshotId)).length).toBe(6);
  });

  it("removes old branches with the deltas that only they had", async () => {
    const talk = new Conversation({ retention: { snapshots: { keepLast: 1, olderThanMs: HOUR } } });
    const root = await talk.say("root");
    await talk.say("dead branch");
    await talk.say("kept", { submission: { parentId: root.snapshotId } });
    expect((await talk.rows("delta/")).length).toBe(3);
    talk.now += 25 * HOUR;
    await sweepDue(talk.ledger);
    expect((await talk.rows("delta/")).length).toBe(2);
    expect(textsOf((await talk.tree.findHead(talk.key))?.content)).toEqual([
      "root",
      "re: root",
      "kept",
      "re: kept",
    ]);
  });
});

describe("a session as one file", () => {
  async function exported(talk: Conversation): Promise<string[]> {
    const lines: string[] = [];
    for await (const line of exportSession(talk.ledger, talk.key)) lines.push(line);
    return lines;
  }

  async function branchedTalk(): Promise<Conversation> {
    const talk = new Conversation();
    const first = await talk.say("a");
    await talk.say("b");
    const branch = await talk.say("c", {
      submission: { parentId: first.snapshotId },
      change: (start) => ({ ...answered(start, "c"), custom: { __proto__: null, n: 1 } }),
    });
    await talk.tree.annotate(talk.key, { label: "here", snapshotId: branch.snapshotId });
    return talk;
  }

  it("comes back whole, under any name", async () => {
    const talk = await branchedTalk();
    const lines = await exported(talk);
    const target = sessionKey("copy", "another tenant");
    const other = new Conversation();
    expect(await importSession(other.ledger, target, lines)).toMatchObject({
      kind: "imported",
      snapshots: 3,
    });
    const before = await talk.tree.list(talk.key);
    expect(await other.tree.list(target)).toEqual(before);
    for (const { snapshotId } of before) {
      expect((await other.tree.find(target, snapshotId))?.content).toEqual(
        await talk.contentOf(snapshotId),
      );
    }
    expect((await other.store.load(target)).record?.labels).toMatchObject([{ name: "here" }]);
    const next = await other.ledger.accept(target, { input: "d", begin: true });
    expect(next).toMatchObject({ kind: "accepted" });
  });

  it("is refused where a session is, when cut off, altered, or not one at all", async () => {
    const talk = await branchedTalk();
    const lines = await exported(talk);
    const target = sessionKey("copy");
    const refused = { status: "INVALID_ARGUMENT", reason: "IMPORT_REFUSED" };
    expect(await importSession(talk.ledger, talk.key, lines)).toEqual({ kind: "exists" });
    const broken: Record<string, string[]> = {
      "cut off": lines.slice(0, -1),
      "a row missing": [...lines.slice(0, 2), ...lines.slice(3)],
      "a letter changed": lines.map((line) => line.replace('"re: a"', '"re: A"')),
      "not JSON": ["hello"],
      "another format": ['{"format":"else"}'],
      "a newer version": ['{"format":"turnkeep-session","version":2}'],
      "no header fields": ['{"format":"turnkeep-session","version":1,"session":{}}'],
      "something behind its end": [...lines, lines[1]!],
      empty: [],
    };
    for (const [name, file] of Object.entries(broken)) {
      await expect(importSession(talk.ledger, target, file), name).rejects.toMatchObject(refused);
    }
    expect((await talk.store.load(target)).version).toBe(0);
  });

  it("echoes nothing of a file it refuses", async () => {
    const talk = new Conversation();
    const error: unknown = await importSession(talk.ledger, talk.key, [
      '{"secret": "hunter2"',
    ]).catch((reason) => reason);
    expect(JSON.stringify([String(error), error])).not.toContain("hunter2");
  });

  it("is not made of a session that is not there", async () => {
    await expect(exported(new Conversation())).rejects.toMatchObject({ status: "NOT_FOUND" });
  });
});
