import { describe, expect, it } from "vitest";
import { type SessionStore, UnknownOutcomeError, type Work } from "../../src/ledger/index.ts";
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
  const content = answered(work.start?.content, text);
  const advanced = await talk.ledger.advance(talk.key, work, { status: "completed", content });
  expect(advanced.answer).toMatchObject({ kind: "advanced" });
  return advanced.work;
}
