import { describe, expect, it } from "vitest";
import {
  type SessionStore,
  type Snapshot,
  UnknownOutcomeError,
  verifySession,
  type Work,
} from "../../src/ledger/index.ts";
import { MemoryStore } from "../../src/stores/memory/index.ts";
import { answered, Conversation, textsOf } from "./conversation.ts";
import { readEvents } from "./read-events.ts";

describe("a detached turn with several inputs", () => {
  it("goes on from what its inputs so far led to when it is taken over", async () => {
    const { talk, work } = await detached(["a", "b", "c"]);
    await advance(talk, work, "a");
    talk.now += 1001;
    const claimed = await talk.ledger.claim(talk.key);
    if (claimed.kind !== "claimed") throw new Error("Nobody holds it any more.");
    expect(claimed.claim).toMatchObject({ turn: 1, inputs: 2, attempt: 2 });
    const taken = await talk.ledger.work(talk.key, claimed.claim);
    expect(taken.inputs).toEqual(["b", "c"]);
    expect(textsOf(taken.start?.content)).toEqual(["first", "re: first", "a", "re: a"]);
    const next = await advance(talk, taken, "b");
    const finished = await talk.ledger.finish(talk.key, next, {
      status: "completed",
      content: answered(next.start?.content, "c"),
      inputs: 1,
    });
    if (finished.kind !== "committed") throw new Error(`It is ${finished.kind}.`);
    const { snapshotId, parentId } = finished.snapshot;
    expect(parentId).toBe(work.claim.parentId);
    const texts = ["first", "a", "b", "c"].flatMap((text) => [text, `re: ${text}`]);
    expect(textsOf(await talk.contentOf(snapshotId))).toEqual(texts);
    expect(await talk.rows("input/")).toEqual([]);
  });

  it("that nobody can finish keeps what it has finished, and is gone on from there", async () => {
    const { talk, work } = await detached(["a", "b"], { maxAttempts: 1 });
    await advance(talk, work, "a");
    talk.now += 1001;
    const { snapshotId, runId } = work.claim;
    expect(await talk.ledger.claim(talk.key)).toEqual({ kind: "gave-up", snapshotId });
    const head = await talk.tree.findHead(talk.key);
    expect(head?.snapshot).toMatchObject({ snapshotId, status: "failed", input: "b" });
    expect(textsOf(head?.content)).toEqual(["first", "re: first", "a", "re: a"]);
    const ends = (await readEvents(talk.ledger, { key: talk.key, runId })).flatMap(({ event }) =>
      event.type === "turnEnd" ? [[event.turn, event.status, event.snapshotId]] : [],
    );
    expect(ends).toEqual([
      [0, "completed", undefined],
      [1, "failed", snapshotId],
    ]);
  });

  it("recognises that it went on when the answer was lost", async () => {
    const memory = new MemoryStore({ clock: { now: () => 1_000_000 } });
    let isLosing = false;
    const store: SessionStore = new Proxy(memory, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return async (...values: unknown[]) => {
          const result: unknown = await Reflect.apply(member, target, values);
          if (!isLosing) return result;
          if (name === "commit") throw new UnknownOutcomeError("lost");
          // Not even whether it was written can be found out.
          isLosing = false;
          throw new Error("away");
        };
      },
    });
    const { talk, work } = await detached(["a", "b"], { store });
    isLosing = true;
    await expect(advance(talk, work, "a")).rejects.toThrow("away");
    const next = await advance(talk, work, "a");
    expect(next.claim).toMatchObject({ turn: 1, inputs: 1, nextSeq: 2 });
  });
});

describe("a detached turn that saves snapshots on the way", () => {
  it("stores each message once, and names them all at its end", async () => {
    const { talk, work } = await detached(["a", "b"]);
    const inFirst = await saveRound(talk, work, "one");
    const next = await advance(talk, inFirst, "a");
    const inSecond = await saveRound(talk, next, "two");
    const end = await finish(talk, inSecond, "b");
    const rounds = [inFirst, inSecond].map(({ saved }) => saved?.snapshot.snapshotId);
    expect(end).toMatchObject({ parentId: work.claim.parentId, rounds, turn: 1 });
    const texts = ["first", "one", "a", "two", "b"].flatMap((text) => [text, `re: ${text}`]);
    expect(textsOf(await talk.contentOf(end.snapshotId))).toEqual(texts);
    expect(textsOf(await talk.contentOf(rounds[1] ?? ""))).toEqual(texts.slice(0, -2));
    const deltas = { range: ["delta/", "delta/~"] as const, limit: 100, maxBytes: 1e6 };
    const written = (await talk.store.range(talk.key, deltas)).map(({ value }) => value).join("");
    for (const text of ["one", "a", "two", "b"]) {
      expect(written.split(`"${text}"`), text).toHaveLength(2);
    }
  });

  it("starts where its last finished input ended when it is taken over", async () => {
    const { talk, work } = await detached(["a", "b"]);
    const next = await advance(talk, work, "a");
    const lost = await saveRound(talk, next, "lost");
    talk.now += 1001;
    const claimed = await talk.ledger.claim(talk.key);
    if (claimed.kind !== "claimed") throw new Error("Nobody holds it any more.");
    const again = await talk.ledger.work(talk.key, claimed.claim);
    expect(textsOf(again.start?.content)).toEqual(["first", "re: first", "a", "re: a"]);
    const found = await saveRound(talk, again, "found");
    const end = await finish(talk, found, "b");
    const rounds = [lost, found].map(({ saved }) => saved?.snapshot.snapshotId);
    expect(end.rounds).toEqual(rounds);
    const texts = ["first", "a", "found", "b"].flatMap((text) => [text, `re: ${text}`]);
    expect(textsOf(await talk.contentOf(end.snapshotId))).toEqual(texts);
    expect(textsOf(await talk.contentOf(rounds[0] ?? ""))).toContain("re: lost");
  });

  it("leaves them readable when it leaves no snapshot of its own", async () => {
    const { talk, work } = await detached(["a", "b"]);
    const next = await advance(talk, work, "a");
    const { saved } = await saveRound(talk, next, "one");
    const finished = await talk.ledger.finish(talk.key, next, {
      status: "completed",
      content: null,
      inputs: 1,
    });
    expect(finished.kind).toBe("unsaved");
    expect(textsOf(await talk.contentOf(saved?.snapshot.snapshotId ?? ""))).toEqual(
      ["first", "a", "one"].flatMap((text) => [text, `re: ${text}`]),
    );
    expect((await verifySession(talk.store, talk.key)).damages).toEqual([]);
  });

  it("keeps what it has finished when old snapshots are pruned meanwhile", async () => {
    const retention = { snapshots: { keepLast: 1 } };
    const { talk, work } = await detached(["a", "b"], { retention });
    const next = await advance(talk, work, "a");
    // Turns that wait behind it are aborted, which adds snapshots.
    for (const input of ["x", "y"]) {
      const behind = await talk.ledger.accept(talk.key, { input, onBusy: "queue" });
      if (behind.kind !== "accepted") throw new Error("not accepted");
      await talk.ledger.abort(talk.key, { snapshotId: behind.turn.snapshotId });
    }
    const end = await finish(talk, next, "b");
    const texts = ["first", "a", "b"].flatMap((text) => [text, `re: ${text}`]);
    expect(textsOf(await talk.contentOf(end.snapshotId))).toEqual(texts);
    expect((await verifySession(talk.store, talk.key)).damages).toEqual([]);
  });
});

let rounds = 0;

async function saveRound(talk: Conversation, work: Work, text: string): Promise<Work> {
  rounds += 1;
  const content = answered((work.saved ?? work.start)?.content, text);
  const round = { snapshotId: `round-${rounds}`, content };
  const answer = await talk.ledger.saveRound(talk.key, work, round);
  if (answer.kind !== "saved") throw new Error(`It is ${answer.kind}.`);
  return { ...work, saved: { snapshot: answer.snapshot, content } };
}

async function finish(talk: Conversation, work: Work, text: string): Promise<Snapshot> {
  const content = answered((work.saved ?? work.start)?.content, text);
  const outcome = { status: "completed", content, inputs: 1 } as const;
  const finished = await talk.ledger.finish(talk.key, work, outcome);
  if (finished.kind !== "committed") throw new Error(`It is ${finished.kind}.`);
  return finished.snapshot;
}

async function detached(
  inputs: readonly string[],
  options: ConstructorParameters<typeof Conversation>[0] = {},
): Promise<{ readonly talk: Conversation; readonly work: Work }> {
  const talk = new Conversation(options);
  await talk.say("first");
  const { claim } = await talk.begin({ input: inputs[0]! });
  const { runId } = claim;
  for (const [index, input] of inputs.slice(1).entries()) {
    const run = { runId, turn: index + 1 };
    await talk.ledger.accept(talk.key, { input, run, onBusy: "queue" });
  }
  await talk.ledger.detach(talk.key, runId);
  const held = { ...claim, inputs: inputs.length };
  return { talk, work: await talk.ledger.work(talk.key, held) };
}

async function advance(talk: Conversation, work: Work, text: string): Promise<Work> {
  const content = answered((work.saved ?? work.start)?.content, text);
  const advanced = await talk.ledger.advance(talk.key, work, { status: "completed", content });
  expect(advanced.answer).toMatchObject({ kind: "advanced" });
  return advanced.work;
}
