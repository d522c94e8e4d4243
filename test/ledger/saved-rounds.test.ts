import { describe, expect, it } from "vitest";
import {
  type RoundAnswer,
  type SessionContent,
  type Snapshot,
  verifySession,
  type Work,
} from "../../src/ledger/index.ts";
import { MemoryStore } from "../../src/stores/memory/index.ts";
import { TEST_PLACES, testStoreOn } from "../support/places/test-places.ts";
import { answered, Conversation, HOUR, textsOf } from "./conversation.ts";

let count = 0;

/** Saves what the turn has come to, and gives back the work to go on with. */
async function save(
  talk: Conversation,
  work: Work,
  content: SessionContent,
): Promise<{ readonly answer: RoundAnswer; readonly work: Work }> {
  count += 1;
  const snapshotId = `round-${count}`;
  const answer = await talk.ledger.saveRound(talk.key, work, { snapshotId, content });
  if (answer.kind !== "saved") return { answer, work };
  return { answer, work: { ...work, saved: { snapshot: answer.snapshot, content } } };
}

async function saved(
  talk: Conversation,
  work: Work,
  text: string,
): Promise<{ readonly snapshot: Snapshot; readonly work: Work }> {
  const { answer, work: next } = await save(
    talk,
    work,
    answered((work.saved ?? work.start)?.content, text),
  );
  if (answer.kind !== "saved") throw new Error(`not saved: ${answer.kind}`);
  return { snapshot: answer.snapshot, work: next };
}

async function finish(talk: Conversation, work: Work, text: string): Promise<Snapshot> {
  const content = answered((work.saved ?? work.start)?.content, text);
  const finished = await talk.ledger.finish(talk.key, work, { status: "completed", content });
  if (finished.kind !== "committed") throw new Error(`the turn ended ${finished.kind}`);
  return finished.snapshot;
}

describe.each(TEST_PLACES)("a snapshot that a running turn saves, on the %s store", (place) => {
  it("is listed, read, forked and resumed like any other, and leaves the head alone", async () => {
    const store = await testStoreOn(place);
    const talk = new Conversation({ store });
    const start = await talk.say("start");
    const begun = await talk.begin({ input: "work" });
    const first = await saved(talk, begun, "one");
    const second = await saved(talk, first.work, "two");
    expect((await talk.tree.findHead(talk.key))?.snapshot.snapshotId).toBe(start.snapshotId);
    const end = await finish(talk, second.work, "done");
    expect(await talk.tree.list(talk.key)).toMatchObject([
      { snapshotId: start.snapshotId },
      { snapshotId: first.snapshot.snapshotId, parentId: start.snapshotId, event: "tool-round" },
      { parentId: first.snapshot.snapshotId, event: "tool-round" },
      { snapshotId: end.snapshotId, parentId: start.snapshotId },
    ]);
    expect(end.rounds).toEqual([first.snapshot.snapshotId, second.snapshot.snapshotId]);
    expect((await talk.tree.findHead(talk.key))?.snapshot.snapshotId).toBe(end.snapshotId);
    const texts = ["start", "re: start", "one", "re: one"];
    expect(textsOf(await talk.contentOf(first.snapshot.snapshotId))).toEqual(texts);
    expect(textsOf(await talk.contentOf(end.snapshotId))).toEqual([
      ...texts,
      "two",
      "re: two",
      "done",
      "re: done",
    ]);
    const branch = await talk.say("aside", {
      submission: { parentId: first.snapshot.snapshotId },
    });
    expect(textsOf(await talk.contentOf(branch.snapshotId))).toEqual([
      ...texts,
      "aside",
      "re: aside",
    ]);
    const forked = await talk.tree.fork(talk.key, {
      snapshotId: first.snapshot.snapshotId,
      sessionId: "fork",
    });
    expect(forked).toMatchObject({ kind: "forked" });
    expect((await verifySession(store, talk.key)).damages).toEqual([]);
  });
});

describe("a snapshot that a running turn saves", () => {
  it("stores each message once, however many there are", async () => {
    const talk = new Conversation();
    let work = await talk.begin({ input: "work" });
    for (const text of ["one", "two", "three"]) ({ work } = await saved(talk, work, text));
    await finish(talk, work, "done");
    const query = { range: ["delta/", "delta/~"] as const, limit: 100, maxBytes: 1e6 };
    const written = (await talk.store.range(talk.key, query)).map(({ value }) => value).join("");
    for (const text of ["one", "two", "three", "done"]) {
      expect(written.split(`"${text}"`), text).toHaveLength(2);
    }
  });

  it("changes nothing of where a take-over starts", async () => {
    const talk = new Conversation();
    const start = await talk.say("start");
    const begun = await talk.begin({ input: "work" });
    const first = await saved(talk, begun, "lost");
    talk.now += HOUR;
    const claimed = await talk.ledger.claim(talk.key);
    if (claimed.kind !== "claimed") throw new Error("not taken over");
    const again = await talk.ledger.work(talk.key, claimed.claim);
    expect(again.start?.snapshot.snapshotId).toBe(start.snapshotId);
    // The worker that lost the turn saves no more.
    const late = await save(talk, first.work, answered(first.work.saved?.content, "late"));
    expect(late.answer).toEqual({ kind: "fenced" });
    const second = await saved(talk, again, "found");
    expect(second.snapshot.parentId).toBe(start.snapshotId);
    const end = await finish(talk, second.work, "done");
    expect(end.rounds).toEqual([first.snapshot.snapshotId, second.snapshot.snapshotId]);
    expect(textsOf(await talk.contentOf(end.snapshotId)).slice(2)).toEqual([
      "found",
      "re: found",
      "done",
      "re: done",
    ]);
    expect((await verifySession(talk.store, talk.key)).damages).toEqual([]);
  });

  it("is refused when the turn was aborted", async () => {
    const talk = new Conversation();
    const work = await talk.begin({ input: "work" });
    const first = await saved(talk, work, "one");
    await talk.ledger.abort(talk.key, { runId: work.claim.runId });
    const late = await save(talk, first.work, answered(first.work.saved?.content, "late"));
    expect(late.answer).toEqual({ kind: "fenced" });
  });

  it("is the same one when it is sent again", async () => {
    const talk = new Conversation();
    const work = await talk.begin({ input: "work" });
    const round = { snapshotId: "round-again", content: answered(undefined, "one") };
    const first = await talk.ledger.saveRound(talk.key, work, round);
    expect(await talk.ledger.saveRound(talk.key, work, round)).toEqual(first);
    expect(await talk.tree.list(talk.key)).toHaveLength(2);
  });

  it("is one of at most 64 of a turn", async () => {
    const talk = new Conversation();
    let work = await talk.begin({ input: "work" });
    for (let round = 0; round < 64; round += 1) ({ work } = await saved(talk, work, `${round}`));
    const more = await save(talk, work, answered(work.saved?.content, "more"));
    expect(more.answer).toEqual({ kind: "too-many", limit: 64 });
    await finish(talk, work, "done");
  });

  it("stays as long as its turn builds on it, though others are pushed out", async () => {
    const store = new MemoryStore();
    const talk = new Conversation({ store, retention: { snapshots: { keepLast: 1 } } });
    await talk.say("start");
    const begun = await talk.begin({ input: "work" });
    const { work } = await saved(talk, begun, "one");
    // A turn that waits behind it is aborted, which is one more snapshot.
    const behind = await talk.ledger.accept(talk.key, { input: "behind", onBusy: "queue" });
    if (behind.kind !== "accepted") throw new Error("not accepted");
    await talk.ledger.abort(talk.key, { snapshotId: behind.turn.snapshotId });
    const end = await finish(talk, work, "done");
    expect(textsOf(await talk.contentOf(end.snapshotId))).toHaveLength(6);
    expect((await verifySession(store, talk.key)).damages).toEqual([]);
    const last = await talk.say("last");
    expect((await talk.tree.list(talk.key)).map(({ snapshotId }) => snapshotId)).toEqual([
      last.snapshotId,
    ]);
  });
});
