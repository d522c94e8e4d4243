import { defineCustomAgent } from "turnkeep";
import { describe, expect, it } from "vitest";
import { SeenSession } from "../../src/ledger/index.ts";
import { MemoryStore } from "../../src/stores/memory/index.ts";
import { answered, Conversation, textsOf } from "./conversation.ts";
import { countingStore } from "./counting-store.ts";

describe("a step that builds on what its caller saw last", () => {
  it("is taken without reading", async () => {
    const memory = new MemoryStore();
    const { store, calls } = countingStore(memory);
    const agent = defineCustomAgent({ name: "echo", store }, async ({ session }) => {
      await session.run(async () =>
        session.addMessages({ role: "model", content: [{ text: "b" }] }),
      );
    });
    await agent.runText("a", { sessionId: "s" });
    calls.clear();
    const { snapshotId } = await agent.runText("a", { sessionId: "s" });
    expect(snapshotId).toBeDefined();
    expect([calls.get("load"), calls.get("commit")]).toEqual([1, 2]);
    await agent.close();
  });

  it("has the time from the store's clock", async () => {
    const { talk, seen } = await seenConversation();
    talk.now += 5;
    const work = await talk.begin({ input: "b", seen });
    talk.now += 7;
    const content = answered(work.start?.content, "b");
    const finished = await talk.ledger.finish(talk.key, work, {
      status: "completed",
      content,
      seen,
    });
    expect(finished).toMatchObject({
      kind: "committed",
      snapshot: { createdAt: talk.now - 7, updatedAt: talk.now },
    });
  });

  it("finds out what others did meanwhile, whoever was refused by it", async () => {
    const { talk, seen } = await seenConversation();
    await talk.begin({ input: "theirs" });
    expect(await talk.ledger.accept(talk.key, { input: "b", seen })).toMatchObject({
      kind: "busy",
    });
  });

  it("does not refuse for what is over by now", async () => {
    const { talk, seen } = await seenConversation();
    const theirs = await talk.begin({ input: "theirs" });
    await talk.ledger.snapshots.findHead(talk.key, seen);
    const content = answered(theirs.start?.content, "theirs");
    await talk.ledger.finish(talk.key, theirs, { status: "completed", content });
    const mine = await talk.begin({ input: "mine", seen });
    expect(textsOf(mine.start?.content)).toEqual(["a", "re: a", "theirs", "re: theirs"]);
  });

  it("recognises a request that was sent before", async () => {
    const { talk, seen } = await seenConversation();
    const first = await talk.begin({ input: "b", requestId: "r" });
    const content = answered(first.start?.content, "b");
    await talk.ledger.finish(talk.key, first, { status: "completed", content });
    await talk.ledger.snapshots.findHead(talk.key, seen);
    const again = await talk.ledger.accept(talk.key, { input: "b", requestId: "r", seen });
    expect(again).toMatchObject({ kind: "repeated", turn: { snapshotId: first.claim.snapshotId } });
  });

  it("ends no turn that was aborted", async () => {
    const { talk, seen } = await seenConversation();
    const work = await talk.begin({ input: "b", seen });
    await talk.ledger.abort(talk.key, { runId: work.claim.runId });
    const content = answered(work.start?.content, "b");
    const finished = await talk.ledger.finish(talk.key, work, {
      status: "completed",
      content,
      seen,
    });
    expect(finished).toEqual({ kind: "stopped" });
  });

  it("starts at a snapshot that has to be read", async () => {
    const { talk, seen, first } = await seenConversation();
    await talk.say("b");
    await talk.ledger.snapshots.findHead(talk.key, seen);
    const work = await talk.begin({ input: "c", parentId: first.snapshotId, seen });
    const content = answered(work.start?.content, "c");
    // The place behind the first snapshot is the other branch's, which only the commit finds.
    const finished = await talk.ledger.finish(talk.key, work, {
      status: "completed",
      content,
      seen,
    });
    expect(finished.kind).toBe("committed");
    expect(textsOf(await talk.contentOf(work.claim.snapshotId))).toEqual([
      "a",
      "re: a",
      "c",
      "re: c",
    ]);
  });

  it("keeps a lease alive", async () => {
    const { talk, seen } = await seenConversation();
    const { claim } = await talk.begin({ input: "b", seen });
    talk.now += 900;
    expect(await talk.ledger.renew(talk.key, claim, seen)).toMatchObject({
      until: talk.now + 1000,
    });
  });
});

async function seenConversation() {
  const talk = new Conversation();
  const seen = new SeenSession();
  const first = await talk.say("a");
  await talk.ledger.snapshots.findHead(talk.key, seen);
  return { talk, seen, first };
}
