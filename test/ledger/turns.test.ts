import { EMPTY_CONTENT, GrownList } from "../../src/ledger/index.ts";
import { describe, expect, it } from "vitest";
import { Conversation, message, sessionKey, textsOf } from "./conversation.ts";
import { readEvents } from "./read-events.ts";

describe("taking an input in", () => {
  it("refuses a second one while a turn runs, naming it, by default", async () => {
    const { ledger, key } = new Conversation();
    const first = await ledger.accept(key, { input: "a" });
    const second = await ledger.accept(key, { input: "b" });
    expect(second).toMatchObject({ kind: "busy", turn: first.kind === "accepted" && first.turn });
  });

  it("queues it behind the running turn, which each then sees the state of", async () => {
    const talk = new Conversation();
    const work = await talk.begin({ input: "a" });
    const queued = await talk.ledger.accept(talk.key, { input: "b", onBusy: "queue" });
    expect(queued).toMatchObject({ kind: "accepted", position: 0 });
    await talk.ledger.finish(talk.key, work, {
      status: "completed",
      content: { messages: GrownList.of([message("user", "a")]), artifacts: [] },
    });
    const claimed = await talk.ledger.claim(talk.key);
    const next =
      claimed.kind === "claimed" ? await talk.ledger.work(talk.key, claimed.claim) : undefined;
    expect(next?.inputs).toEqual(["b"]);
    expect(textsOf(next?.start?.content)).toEqual(["a"]);
  });

  it("refuses more than the queue holds", async () => {
    const talk = new Conversation({ maxQueue: 2 });
    await talk.begin({ input: 0 });
    await talk.ledger.accept(talk.key, { input: 1, onBusy: "queue" });
    await talk.ledger.accept(talk.key, { input: 2, onBusy: "queue" });
    const full = await talk.ledger.accept(talk.key, { input: 3, onBusy: "queue" });
    expect(full).toEqual({ kind: "queue-full", length: 2 });
  });

  it("interrupts the running turn and all that wait, and starts when the slot is let go", async () => {
    const talk = new Conversation();
    const { claim } = await talk.begin({ input: "a" });
    const waiting = await talk.ledger.accept(talk.key, { input: "b", onBusy: "queue" });
    const third = await talk.ledger.accept(talk.key, {
      input: "c",
      onBusy: "interrupt",
      begin: true,
    });
    expect(third).toMatchObject({ kind: "accepted", position: 0 });
    expect(third).not.toHaveProperty("claim");
    expect(await talk.ledger.renew(talk.key, claim)).toEqual({ kind: "stopped" });
    expect(await talk.ledger.claim(talk.key)).toMatchObject({ kind: "busy" });
    expect(await talk.ledger.release(talk.key, claim)).toEqual({ kind: "freed" });
    expect(await talk.ledger.claim(talk.key)).toMatchObject({
      claim: { snapshotId: third.kind === "accepted" && third.turn.snapshotId },
    });
    const statuses = (await talk.tree.list(talk.key)).map(({ status, snapshotId }) => [
      snapshotId,
      status,
    ]);
    expect(statuses).toContainEqual([claim.snapshotId, "aborted"]);
    expect(statuses).toContainEqual([
      waiting.kind === "accepted" && waiting.turn.snapshotId,
      "aborted",
    ]);
  });

  it("keeps what an aborted turn was given", async () => {
    const talk = new Conversation();
    const { claim } = await talk.begin({ input: { say: "remember me" } });
    await talk.ledger.abort(talk.key, { runId: claim.runId });
    const [aborted] = await talk.tree.list(talk.key);
    expect(aborted).toMatchObject({ status: "aborted", input: { say: "remember me" } });
  });

  it("recognises a request sent again and refuses another under its id", async () => {
    const talk = new Conversation();
    const first = await talk.ledger.accept(talk.key, { input: { text: "a" }, requestId: "r1" });
    const again = await talk.ledger.accept(talk.key, { input: { text: "a" }, requestId: "r1" });
    const other = await talk.ledger.accept(talk.key, { input: { text: "b" }, requestId: "r1" });
    expect(again).toEqual({ kind: "repeated", turn: first.kind === "accepted" && first.turn });
    expect(other).toEqual({ kind: "request-mismatch" });
  });

  it("recognises a request after its turn has ended", async () => {
    const talk = new Conversation();
    const { snapshotId } = await talk.say("a", { submission: { requestId: "r1" } });
    expect(await talk.ledger.accept(talk.key, { input: "a", requestId: "r1" })).toMatchObject({
      kind: "repeated",
      turn: { snapshotId },
    });
  });

  it("refuses when the head is not the expected one", async () => {
    const talk = new Conversation();
    const first = await talk.say("a");
    const second = await talk.say("b");
    const stale = await talk.ledger.accept(talk.key, {
      input: "c",
      expectedHead: first.snapshotId,
    });
    expect(stale).toEqual({ kind: "stale-head", head: second.snapshotId });
    expect(await talk.ledger.accept(talk.key, { input: "c", expectedHead: null })).toMatchObject({
      kind: "stale-head",
    });
    expect(
      await talk.ledger.accept(talk.key, { input: "c", expectedHead: second.snapshotId }),
    ).toMatchObject({ kind: "accepted" });
  });

  it("branches at a named snapshot, and only at one that may be continued", async () => {
    const talk = new Conversation();
    const first = await talk.say("a");
    await talk.say("b");
    const branch = await talk.say("c", { submission: { parentId: first.snapshotId } });
    expect(textsOf(await talk.contentOf(branch.snapshotId))).toEqual(["a", "re: a", "c", "re: c"]);
    expect((await talk.tree.findHead(talk.key))?.snapshot.snapshotId).toBe(branch.snapshotId);
    const missing = await talk.ledger.accept(talk.key, { input: "d", parentId: "nowhere" });
    expect(missing).toEqual({ kind: "no-such-parent" });
    const { claim } = await talk.begin({ input: "e" });
    await talk.ledger.abort(talk.key, { snapshotId: claim.snapshotId });
    await talk.ledger.release(talk.key, claim);
    const aborted = await talk.ledger.accept(talk.key, { input: "f", parentId: claim.snapshotId });
    expect(aborted).toEqual({ kind: "parent-not-continuable", status: "aborted" });
  });

  it("refuses input that is not JSON and writes nothing", async () => {
    const talk = new Conversation();
    const input = { when: new Date(0) } as never;
    await expect(talk.ledger.accept(talk.key, { input })).rejects.toMatchObject({
      status: "INVALID_ARGUMENT",
      message: expect.stringContaining("/when"),
    });
    expect((await talk.store.load(talk.key)).version).toBe(0);
  });
});

describe("a run of several turns", () => {
  it("keeps one log, dense over its turns, and ends once", async () => {
    const talk = new Conversation();
    const first = await talk.begin({ input: "a" });
    const { runId } = first.claim;
    const content = EMPTY_CONTENT;
    await talk.ledger.finish(talk.key, first, { status: "completed", content, endsRun: false });
    const second = await talk.begin({ input: "b", run: { runId, turn: 1 } });
    const seq = second.claim.nextSeq;
    await talk.ledger.appendEvents(talk.key, second.claim, {
      seq,
      events: [
        { type: "chunk", n: 1 },
        { type: "chunk", n: 2 },
      ],
    });
    await talk.ledger.finish(talk.key, second, {
      status: "completed",
      content,
      endsRun: false,
      nextSeq: seq + 2,
    });
    expect(await talk.ledger.endRun(talk.key, runId)).toEqual({
      kind: "ended",
      status: "completed",
    });
    const events = await readEvents(talk.ledger, { key: talk.key, runId });
    expect(events.map(({ seq: number, event }) => [number, event.type])).toEqual([
      [1, "turnEnd"],
      [2, "chunk"],
      [3, "chunk"],
      [4, "turnEnd"],
      [5, "runEnd"],
    ]);
    expect(
      (await readEvents(talk.ledger, { key: talk.key, runId, after: 2 })).map(
        ({ seq: number }) => number,
      ),
    ).toEqual([3, 4, 5]);
    const late = await talk.ledger.accept(talk.key, { input: "c", run: { runId, turn: 2 } });
    expect(late).toEqual({ kind: "run-over" });
  });

  it("can be aborted between its turns", async () => {
    const talk = new Conversation();
    const work = await talk.begin({ input: "a" });
    const { runId } = work.claim;
    const content = EMPTY_CONTENT;
    await talk.ledger.finish(talk.key, work, { status: "completed", content, endsRun: false });
    expect(await talk.ledger.abort(talk.key, { runId })).toEqual({ kind: "aborted", runId });
    expect(await talk.ledger.abort(talk.key, { runId })).toEqual({
      kind: "ended",
      status: "aborted",
    });
    expect(await talk.ledger.accept(talk.key, { input: "b", run: { runId, turn: 1 } })).toEqual({
      kind: "run-over",
    });
  });
});

describe("detaching a run", () => {
  it("gathers what waits in it into its running turn, which ends in one snapshot", async () => {
    const talk = new Conversation();
    const work = await talk.begin({ input: "a" });
    const { runId, snapshotId } = work.claim;
    await talk.ledger.accept(talk.key, { input: "b", onBusy: "queue", run: { runId, turn: 1 } });
    await talk.ledger.accept(talk.key, { input: "other", onBusy: "queue" });
    await talk.ledger.accept(talk.key, { input: "c", onBusy: "queue", run: { runId, turn: 2 } });
    const detached = await talk.ledger.detach(talk.key, runId);
    expect(detached).toEqual({ kind: "detached", turn: { runId, turn: 0, snapshotId } });
    expect(await talk.ledger.renew(talk.key, work.claim)).toMatchObject({
      inputs: 3,
      detached: true,
    });
    const late = await talk.ledger.accept(talk.key, { input: "d", run: { runId, turn: 3 } });
    expect(late).toEqual({ kind: "run-over" });
    talk.now += 1000;
    const taken = await talk.ledger.claim(talk.key);
    if (taken.kind !== "claimed") throw new Error(taken.kind);
    const again = await talk.ledger.work(talk.key, taken.claim);
    expect(again.inputs).toEqual(["a", "b", "c"]);
    const content = EMPTY_CONTENT;
    await talk.ledger.finish(talk.key, again, { status: "completed", content });
    expect(await talk.rows("input/")).toHaveLength(1);
    const statuses = (await talk.tree.list(talk.key)).map(({ status }) => status);
    expect(statuses).toEqual(["completed", "pending"]);
  });

  it("does nothing to a run that is between turns or over", async () => {
    const talk = new Conversation();
    const { runId = "" } = await talk.say("a");
    expect(await talk.ledger.detach(talk.key, runId)).toEqual({ kind: "idle" });
  });
});

describe("a reserved place in the queue", () => {
  it("is left alone by others until its time is over", async () => {
    const talk = new Conversation();
    const queued = await talk.ledger.accept(talk.key, { input: "a", reservedMs: 500 });
    const only = queued.kind === "accepted" ? queued.turn.snapshotId : "";
    expect(await talk.ledger.claim(talk.key)).toEqual({ kind: "none" });
    expect(await talk.ledger.claim(talk.key, { only: "another" })).toEqual({ kind: "none" });
    talk.now += 500;
    expect(await talk.ledger.claim(talk.key)).toMatchObject({
      kind: "claimed",
      claim: { snapshotId: only },
    });
  });

  it("is given to whoever asks for it by name", async () => {
    const talk = new Conversation();
    const queued = await talk.ledger.accept(talk.key, { input: "a", reservedMs: 500 });
    const only = queued.kind === "accepted" ? queued.turn.snapshotId : "";
    expect(await talk.ledger.claim(talk.key, { only })).toMatchObject({ kind: "claimed" });
  });
});

describe("a worker that goes silent", () => {
  it("keeps its turn until its lease is over, then loses it and is fenced", async () => {
    const talk = new Conversation();
    const { claim } = await talk.begin({ input: "a" });
    talk.now += 999;
    expect(await talk.ledger.claim(talk.key)).toEqual({ kind: "busy", until: 1_001_000 });
    expect(await talk.ledger.renew(talk.key, claim)).toMatchObject({
      kind: "renewed",
      until: 1_001_999,
    });
    talk.now += 1000;
    const taken = await talk.ledger.claim(talk.key);
    expect(taken).toMatchObject({
      claim: { snapshotId: claim.snapshotId, attempt: 2, epoch: claim.epoch + 1 },
    });
    expect(await talk.ledger.renew(talk.key, claim)).toEqual({ kind: "fenced" });
    const late = { seq: claim.nextSeq, events: [{ type: "chunk" as const }] };
    expect(await talk.ledger.appendEvents(talk.key, claim, late)).toBe("fenced");
    const outcome = { status: "completed" as const, content: EMPTY_CONTENT };
    expect(await talk.ledger.finish(talk.key, { claim, inputs: ["a"] }, outcome)).toEqual({
      kind: "fenced",
    });
  });

  it("is given up after the last attempt, with the input kept and what waited in its run ended", async () => {
    const talk = new Conversation({ maxAttempts: 2 });
    const { claim } = await talk.begin({ input: "poison" });
    await talk.ledger.accept(talk.key, {
      input: "b",
      onBusy: "queue",
      run: { runId: claim.runId, turn: 1 },
    });
    talk.now += 1000;
    expect(await talk.ledger.claim(talk.key)).toMatchObject({ kind: "claimed" });
    talk.now += 1000;
    const { snapshotId } = claim;
    expect(await talk.ledger.claim(talk.key)).toEqual({ kind: "gave-up", snapshotId });
    const [poison, behind] = await talk.tree.list(talk.key);
    expect(poison).toMatchObject({
      status: "failed",
      input: "poison",
      error: { details: { reason: "ATTEMPTS_EXHAUSTED" } },
    });
    expect(behind).toMatchObject({ status: "aborted", input: "b" });
    const events = await readEvents(talk.ledger, { key: talk.key, runId: claim.runId });
    expect(events.map(({ event }) => event.type)).toEqual([
      "restarted",
      "turnEnd",
      "turnEnd",
      "runEnd",
    ]);
  });

  it("may hand its turn over without using up an attempt", async () => {
    const talk = new Conversation();
    const { claim } = await talk.begin({ input: "a" });
    expect(await talk.ledger.release(talk.key, claim)).toEqual({ kind: "handed-over" });
    expect(await talk.ledger.claim(talk.key)).toMatchObject({
      kind: "claimed",
      claim: { attempt: 1 },
    });
  });
});

describe("aborting", () => {
  it("answers how a run ended that had ended before", async () => {
    const talk = new Conversation();
    const { snapshotId, runId = "" } = await talk.say("a");
    expect(await talk.ledger.abort(talk.key, { snapshotId })).toEqual({
      kind: "ended",
      status: "completed",
    });
    expect(await talk.ledger.abort(talk.key, { runId })).toEqual({
      kind: "ended",
      status: "completed",
    });
    expect(await talk.ledger.abort(talk.key, { runId: "nobody" })).toEqual({ kind: "none" });
    expect(await talk.ledger.abort(sessionKey("other"), { runId })).toEqual({ kind: "none" });
  });

  it("leaves the head where it was and lets the late worker finish nothing", async () => {
    const talk = new Conversation();
    const { snapshotId } = await talk.say("a");
    const work = await talk.begin({ input: "b" });
    await talk.ledger.abort(talk.key, { runId: work.claim.runId });
    const outcome = { status: "completed" as const, content: EMPTY_CONTENT };
    expect(await talk.ledger.finish(talk.key, work, outcome)).toEqual({ kind: "stopped" });
    expect((await talk.tree.findHead(talk.key))?.snapshot.snapshotId).toBe(snapshotId);
  });
});

describe("erasing a session", () => {
  it("leaves nothing, lets nothing late back, and frees the id for a new one", async () => {
    const talk = new Conversation();
    await talk.say("secret");
    const work = await talk.begin({ input: "b" });
    expect(await talk.ledger.remove(talk.key)).toEqual({ kind: "removed" });
    expect(await talk.rows()).toEqual([]);
    expect(await talk.ledger.remove(talk.key)).toEqual({ kind: "none" });
    const outcome = { status: "completed" as const, content: EMPTY_CONTENT };
    expect(await talk.ledger.finish(talk.key, work, outcome)).toEqual({ kind: "fenced" });
    const late = { seq: work.claim.nextSeq, events: [{ type: "chunk" as const }] };
    expect(await talk.ledger.appendEvents(talk.key, work.claim, late)).toBe("fenced");
    expect(await talk.tree.findHead(talk.key)).toBeUndefined();
    expect(await talk.tree.list(talk.key)).toEqual([]);
    const { snapshotId } = await talk.say("new");
    expect(textsOf(await talk.contentOf(snapshotId))).toEqual(["new", "re: new"]);
  });

  it("is seen by a process that remembers the session", async () => {
    const talk = new Conversation();
    const { snapshotId } = await talk.say("secret");
    await new Conversation({ store: talk.store }).ledger.remove(talk.key);
    expect(await talk.tree.find(talk.key, snapshotId)).toBeUndefined();
    expect(await talk.tree.findHead(talk.key)).toBeUndefined();
  });
});
