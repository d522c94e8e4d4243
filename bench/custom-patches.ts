import type { Json } from "turnkeep/protocol";
import { Ledger, sweepDue } from "../src/ledger/index.ts";
import type { SeededRandom } from "../test/chaos/seeded-random.ts";
import { CountingStore } from "./counting-store.ts";
import { GrowingConversation } from "./growing-conversation.ts";
import { BENCH_STORES, type BenchStoreName } from "./growth-stores.ts";
import { loadTimes } from "./load-times.ts";
import { randomText } from "./random-text.ts";

export type CustomPatchRow = {
  readonly case: "custom-patch";
  readonly store: BenchStoreName;
  readonly turns: number;
  readonly stateBytes: number;
  /** All rows and records that the turns wrote, events included. */
  readonly bytesWritten: number;
  /** What is left of them after sweeping. */
  readonly storedBytes: number;
  /** Rows that loading the head reads. */
  readonly loadRows: number;
  readonly loadMs: number;
};

const TURNS = 1000;
const FIELDS = 100;
const FIELD_CHARACTERS = 500;
const PAST_RETENTION_MS = 48 * 3_600_000;

/** A conversation of few words whose every turn changes one field of a large custom state. */
export async function measureCustomPatches(
  name: BenchStoreName,
  random: SeededRandom,
): Promise<CustomPatchRow> {
  const opened = await BENCH_STORES[name]();
  const store = new CountingStore(opened.store);
  const ledger = new Ledger({ store });
  const conversation = new GrowingConversation(ledger);
  let custom: Record<string, Json> = Object.fromEntries(
    Array.from({ length: FIELDS }, (_, index) => [
      `field${index}`,
      randomText(random, FIELD_CHARACTERS),
    ]),
  );
  for (let turn = 0; turn < TURNS; turn += 1) {
    custom = { ...custom, [`field${random.below(FIELDS)}`]: randomText(random, FIELD_CHARACTERS) };
    await conversation.take({
      user: { role: "user", content: [{ text: `change ${turn}` }] },
      model: { role: "model", content: [{ text: `changed ${turn}` }] },
      custom,
    });
  }
  const { bytesWritten } = store;
  opened.advance(PAST_RETENTION_MS);
  await sweepDue(ledger);
  const loadRows = await rowsOfLoad(store, conversation);
  const { loadMs } = await loadTimes(opened, conversation.key);
  const storedBytes = opened.storedBytes();
  await opened.remove();
  return {
    case: "custom-patch",
    store: name,
    turns: TURNS,
    stateBytes: Buffer.byteLength(JSON.stringify(custom)),
    bytesWritten,
    storedBytes,
    loadRows,
    loadMs: Math.round(loadMs * 1000) / 1000,
  };
}

async function rowsOfLoad(store: CountingStore, { key }: GrowingConversation): Promise<number> {
  const before = store.rowsLoaded;
  await new Ledger({ store }).snapshots.findHead(key);
  return store.rowsLoaded - before;
}
