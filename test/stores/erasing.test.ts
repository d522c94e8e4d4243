import { describe, expect, test } from "vitest";
import {
  type Claim,
  createScope,
  createSessionKey,
  Ledger,
  type SessionKey,
  sweepDue,
  systemClock,
} from "../../src/ledger/index.ts";
import { dumpPlace } from "../support/places/dump-place.ts";
import { TEST_PLACES, testPlace } from "../support/places/test-places.ts";

const CANARY = "canary-7c1f";
const SESSIONS = 30;
// Even the mark of a removed session, which holds its name, is gone by then.
const PAST_RETENTION_MS = 400 * 24 * 3_600_000;

// What a memory store holds is gone with it.
describe.each(TEST_PLACES.filter((name) => name !== "memory"))("on the %s store", (name) => {
  test("nothing is left of sessions that were removed while their turns ran, and nothing late comes back", async () => {
    const place = await testPlace(name);
    let ahead = 0;
    const store = await place.open({ clock: { now: () => systemClock.now() + ahead } });
    const ledger = new Ledger({ store });
    const keys = Array.from({ length: SESSIONS }, (_, index) => keyOf(`${CANARY}-${index}`));
    const claims = await Promise.all(keys.map((key) => begin(ledger, key)));
    const dump = async (): Promise<string> => await dumpPlace(place.settings ?? { kind: name });
    expect(await dump()).toContain(CANARY);

    await Promise.all(
      keys.flatMap((key, index) => [finish(ledger, key, claims[index]!), ledger.remove(key)]),
    );
    for (const [index, key] of keys.entries()) await writeLate(ledger, key, claims[index]!);
    ahead = PAST_RETENTION_MS;
    await sweepDue(ledger);
    await store.sweep();
    expect((await store.list(createScope("tenant"), { limit: 100 })).sessions).toEqual([]);
    await store.close();
    const left = await dump();
    expect(left.slice(Math.max(0, left.indexOf(CANARY) - 200)).slice(0, 400)).not.toContain(CANARY);
  });
});

function keyOf(name: string): SessionKey {
  return createSessionKey(createScope("tenant"), "agent", name);
}

async function begin(ledger: Ledger, key: SessionKey): Promise<Claim> {
  const answer = await ledger.accept(key, { input: `${CANARY} input`, begin: true });
  if (answer.kind !== "accepted" || answer.claim === undefined) throw new Error(answer.kind);
  const events = [{ type: "chunk", text: `${CANARY} chunk` }] as const;
  await ledger.appendEvents(key, answer.claim, { seq: answer.claim.nextSeq, events });
  return answer.claim;
}

/** Meets the removal: either may come first. */
async function finish(ledger: Ledger, key: SessionKey, claim: Claim): Promise<void> {
  try {
    const work = await ledger.work(key, claim);
    const messages = [{ role: "model" as const, content: [{ text: `${CANARY} answer` }] }];
    await ledger.finish(key, work, {
      status: "completed",
      content: { messages, artifacts: [] },
      nextSeq: claim.nextSeq + 1,
    });
  } catch {
    // The session is gone already.
  }
}

async function writeLate(ledger: Ledger, key: SessionKey, claim: Claim): Promise<void> {
  const events = [{ type: "chunk", text: `${CANARY} late` }] as const;
  const outcome = await ledger.appendEvents(key, claim, { seq: claim.nextSeq + 1, events });
  expect(outcome).toBe("fenced");
}
