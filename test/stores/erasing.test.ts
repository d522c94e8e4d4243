import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import {
  type Claim,
  createScope,
  createSessionKey,
  exportSession,
  GrownList,
  importSession,
  Ledger,
  type SessionKey,
  type SessionStore,
  sweepDue,
  systemClock,
} from "../../src/ledger/index.ts";
import { collect } from "../agent/life/waiting.ts";
import { percentile } from "../chaos/take-overs.ts";
import { dumpPlace } from "../support/places/dump-place.ts";
import type { Place } from "../support/places/place.ts";
import { TEST_PLACES, testPlace } from "../support/places/test-places.ts";

const CANARY = "canary-7c1f";
const SESSIONS = Number(process.env["TURNKEEP_ERASURES"] ?? 30);
const BYSTANDERS = 5;
// Even the mark of a removed session, which holds its name, is gone by then.
const PAST_RETENTION_MS = 400 * 24 * 3_600_000;

describe.each(TEST_PLACES)("on the %s store", (name) => {
  test("nothing is left of sessions that were removed while their turns ran, and nothing late comes back", async () => {
    const place = await testPlace(name);
    let ahead = 0;
    const store = await place.open({ clock: { now: () => systemClock.now() + ahead } });
    const ledger = new Ledger({ store });
    const bystanders = keysNamed("bystander", BYSTANDERS);
    for (const key of bystanders) await say(ledger, key, "I stay");
    const bytesBefore = bytesIn(store);
    const keys = keysNamed(CANARY, SESSIONS);
    for (const key of keys) await say(ledger, key, CANARY);
    const claims = await Promise.all(keys.map((key) => begin(ledger, key)));
    const file = await collect(exportSession(ledger, keys[0]!));
    expect((await canariesIn(place)) !== "" || bytesIn(store) > bytesBefore).toBe(true);

    const times = await Promise.all(
      keys.map(async (key, index) => {
        const [milliseconds] = await Promise.all([
          timed(() => ledger.remove(key)),
          finish(ledger, key, claims[index]!),
        ]);
        return milliseconds;
      }),
    );
    for (const [index, key] of keys.entries()) await writeLate(ledger, key, claims[index]!);
    ahead = PAST_RETENTION_MS;
    await sweepDue(ledger);
    await store.sweep();
    const { sessions } = await store.list(createScope("tenant"), { limit: 100 });
    expect(sessions).toHaveLength(BYSTANDERS);
    for (const key of bystanders) expect(await saidIn(ledger, key)).toEqual(["I stay"]);
    expect(bytesIn(store)).toBeLessThanOrEqual(bytesBefore);
    await store.close();
    expect(await canariesIn(place)).toBe("");
    expect(await saidInFile(file)).toEqual([CANARY]);
    const removeP95Ms = percentile(
      times.toSorted((one, other) => one - other),
      0.95,
    );
    console.log(JSON.stringify({ test: "erasing", store: name, sessions: SESSIONS, removeP95Ms }));
  }, 600_000);
});

/** Where it first stands in what the place holds; of what is in memory alone, see {@link bytesIn}. */
async function canariesIn({ settings }: Place): Promise<string> {
  const dump = settings === undefined ? "" : await dumpPlace(settings);
  const place = dump.indexOf(CANARY);
  return place < 0 ? "" : dump.slice(Math.max(0, place - 200), place + 200);
}

/** What it holds, where that can be had without looking into files, tables or keys. */
function bytesIn(store: SessionStore): number {
  return store instanceof MemoryStore ? store.storedBytes() : 0;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function keysNamed(name: string, count: number): readonly SessionKey[] {
  return Array.from({ length: count }, (_, index) => keyOf(`${name}-${index}`));
}

/** A turn from its beginning to its end. */
async function say(ledger: Ledger, key: SessionKey, text: string): Promise<void> {
  const answer = await ledger.accept(key, { input: text, begin: true });
  if (answer.kind !== "accepted" || answer.claim === undefined) throw new Error(answer.kind);
  const work = await ledger.work(key, answer.claim);
  const messages = GrownList.of([{ role: "model" as const, content: [{ text }] }]);
  const content = { messages, artifacts: [] };
  const { nextSeq } = answer.claim;
  const { kind } = await ledger.finish(key, work, { status: "completed", content, nextSeq });
  expect(kind).toBe("committed");
}

async function saidIn(ledger: Ledger, key: SessionKey): Promise<readonly unknown[]> {
  const head = await ledger.snapshots.findHead(key);
  return (head?.content.messages.all() ?? []).map(({ content }) => content[0]?.text);
}

/** What was exported is its owner's to keep. */
async function saidInFile(lines: readonly string[]): Promise<readonly unknown[]> {
  const elsewhere = new Ledger({ store: new MemoryStore() });
  await importSession(elsewhere, keyOf("imported"), lines);
  return await saidIn(elsewhere, keyOf("imported"));
}

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
    const messages = GrownList.of([
      { role: "model" as const, content: [{ text: `${CANARY} answer` }] },
    ]);
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
