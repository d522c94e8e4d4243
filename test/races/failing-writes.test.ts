import { describe, expect, test } from "vitest";
import { type Clock, Ledger, type SessionKey, type SessionStore } from "../../src/ledger/index.ts";
import { listSnapshots, readRows } from "../../src/ledger/list-snapshots.ts";
import { TEST_PLACES, testStoreOn } from "../support/places/test-places.ts";
import { type FaultPlan, FAULTS, FaultyStore } from "./faulty-store.ts";
import { ScriptedConversation, type Transcript } from "./scripted-conversation.ts";
import { printCounts } from "./start-race.ts";

interface Outcome {
  readonly hasStruck: boolean;
  readonly transcript: Transcript;
  /** Everything that is stored in the end, told apart from another run's only by what was said. */
  readonly rows: readonly string[];
  readonly damaged: readonly string[];
}

/**
 * What a call without rows of its own may answer when the answer to its first try was lost: it finds its own work done. Nothing
 * else may differ.
 */
const DONE_BEFORE: Readonly<Record<string, string>> = {
  "release: fenced": "release: freed",
  "finish: fenced": "finish: stopped",
  "remove: none": "remove: removed",
};
const NEVER = Infinity;
const STANDING_CLOCK: Clock = { now: () => 1_700_000_000_000 };

describe.each(TEST_PLACES)("on the %s store", (name) => {
  test.each(FAULTS)("a write that is %s changes nothing, wherever it happens", async (fault) => {
    const store = await testStoreOn(name, { clock: STANDING_CLOCK });
    const undisturbed = await converse(store, { fault, write: NEVER });
    let writes = 0;
    for (let write = 1; ; write += 1) {
      const outcome = await converse(store, { fault, write });
      const transcript = forgivingly(outcome.transcript, undisturbed.transcript);
      expect({ ...outcome, transcript }, `write ${write} of the conversation was ${fault}`).toEqual(
        {
          ...undisturbed,
          hasStruck: outcome.hasStruck,
        },
      );
      if (!outcome.hasStruck) break;
      writes = write;
    }
    printCounts("failing-writes", { store: name, fault, writes });
    expect(writes).toBeGreaterThan(30);
  });
});

async function converse(store: SessionStore, plan: FaultPlan): Promise<Outcome> {
  const faulty = new FaultyStore(store, plan);
  const conversation = new ScriptedConversation(faulty, `${plan.fault}-${plan.write}`);
  return {
    transcript: await conversation.run(),
    hasStruck: faulty.hasStruck,
    rows: await rowsOf(store, conversation.sessions),
    damaged: await damagedSnapshots(store, conversation.sessions),
  };
}

function forgivingly(transcript: Transcript, expected: Transcript): Transcript {
  return transcript.map((line, index) => {
    const forgiven = DONE_BEFORE[line];
    return forgiven !== undefined && forgiven === expected[index] ? forgiven : line;
  });
}

async function rowsOf(
  store: SessionStore,
  sessions: readonly SessionKey[],
): Promise<readonly string[]> {
  const ids = new Map<string, string>();
  const withoutIds = (text: string): string =>
    text.replaceAll(/[0-9a-z]{26}/g, (id) => {
      if (!ids.has(id)) ids.set(id, `<id ${ids.size + 1}>`);
      return ids.get(id)!;
    });
  const lines: string[] = [];
  for (const key of sessions) {
    const { record } = await store.load(key);
    for await (const row of readRows(store, key, "")) lines.push(`${row.key} ${row.value}`);
    lines.push(JSON.stringify(record));
  }
  return lines.map(withoutIds);
}

/** Snapshots that cannot be loaded, or do not match their hash. */
async function damagedSnapshots(
  store: SessionStore,
  sessions: readonly SessionKey[],
): Promise<readonly string[]> {
  const { snapshots } = new Ledger({ store });
  const damaged: string[] = [];
  for (const key of sessions) {
    for (const { snapshotId } of await listSnapshots(store, key)) {
      await snapshots.find(key, snapshotId).catch(() => damaged.push(snapshotId));
    }
  }
  return damaged;
}
