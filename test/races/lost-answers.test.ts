import { describe, expect, test } from "vitest";
import { type Claim, EMPTY_CONTENT, Ledger, type SessionStore } from "../../src/ledger/index.ts";
import { TEST_PLACES, testStoreOn } from "../support/places/test-places.ts";
import { FaultyStore } from "./faulty-store.ts";
import { raceKey } from "./start-race.ts";

const KEY = raceKey("lost-answers");

describe.each(TEST_PLACES)("on the %s store, when the answer is lost and others go on", (name) => {
  test("an accepted turn is accepted though a worker has finished it already", async () => {
    const store = await testStoreOn(name);
    const others = new Ledger({ store });
    const unlucky = losing(store, () => workOnNext(others));
    expect(await unlucky.accept(KEY, { input: "hello" })).toMatchObject({ kind: "accepted" });
    expect((await store.load(KEY)).record).toMatchObject({ rev: 1, queue: [], active: null });
  });

  test("an accepted turn is accepted though it is interrupted already", async () => {
    const store = await testStoreOn(name);
    const others = new Ledger({ store });
    const unlucky = losing(store, async () => {
      await others.accept(KEY, { input: "rather this", onBusy: "interrupt" });
    });
    expect(await unlucky.accept(KEY, { input: "hello" })).toMatchObject({ kind: "accepted" });
    const { record } = await store.load(KEY);
    expect(record).toMatchObject({ rev: 1, active: null });
    expect(record?.queue).toHaveLength(1);
  });

  test("a finished turn is committed though the next one is over already", async () => {
    const store = await testStoreOn(name);
    const others = new Ledger({ store });
    const claim = await begin(others);
    const unlucky = losing(store, async () => {
      await others.accept(KEY, { input: "next" });
      await workOnNext(others);
    });
    expect(await finish(unlucky, claim)).toMatchObject({ kind: "committed" });
    expect((await store.load(KEY)).record).toMatchObject({ rev: 2, counts: { messages: 2 } });
  });

  test("an aborted turn is aborted though its worker let go and the next one is over", async () => {
    const store = await testStoreOn(name);
    const others = new Ledger({ store });
    const claim = await begin(others);
    const unlucky = losing(store, async () => {
      await others.release(KEY, claim);
      await others.accept(KEY, { input: "next" });
      await workOnNext(others);
    });
    expect(await unlucky.abort(KEY, { runId: claim.runId })).toMatchObject({ kind: "aborted" });
    expect((await store.load(KEY)).record).toMatchObject({ rev: 2, counts: { messages: 1 } });
  });
});

/** A ledger whose first write is made, but whose answer comes only after others went on, and is lost. */
function losing(store: SessionStore, meanwhile: () => Promise<void>): Ledger {
  return new Ledger({
    store: new FaultyStore(store, { fault: "lost-written", write: 1, meanwhile }),
  });
}

async function begin(ledger: Ledger): Promise<Claim> {
  const answer = await ledger.accept(KEY, { input: "first", begin: true });
  if (answer.kind === "accepted" && answer.claim) return answer.claim;
  throw new Error(`The first turn was not begun: ${JSON.stringify(answer)}`);
}

async function workOnNext(ledger: Ledger): Promise<void> {
  const answer = await ledger.claim(KEY);
  if (answer.kind !== "claimed") throw new Error(`Nothing to claim: ${JSON.stringify(answer)}`);
  await finish(ledger, answer.claim);
}

async function finish(ledger: Ledger, claim: Claim) {
  const work = await ledger.work(KEY, claim);
  const { messages } = work.start?.content ?? EMPTY_CONTENT;
  const said = { role: "model" as const, content: [{ text: "done" }] };
  return await ledger.finish(KEY, work, {
    status: "completed",
    content: { messages: messages.grow([said]), artifacts: [] },
  });
}
