import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ledger, type SessionContent, type SessionKey } from "../src/ledger/index.ts";
import type { BenchStore } from "./growth-stores.ts";
import { median } from "./median.ts";

export interface LoadTimes {
  /** Of the head, by somebody who knows nothing of the session yet. */
  readonly loadMs: number;
  /** Of reading and parsing one file that holds the same: no store can be faster. */
  readonly parseMs: number;
}

const REPETITIONS = 7;

/** Medians. The two are measured by turns, so that whatever else the machine does hits both. */
export async function loadTimes(
  { store, directory }: BenchStore,
  key: SessionKey,
): Promise<LoadTimes> {
  const file = join(directory, "state.json");
  writeFileSync(file, JSON.stringify(await loadHead(new Ledger({ store }), key)));
  const [loads, parses]: [number[], number[]] = [[], []];
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    const ledger = new Ledger({ store });
    loads.push(await timed(() => loadHead(ledger, key)));
    parses.push(await timed(async () => JSON.parse(readFileSync(file, "utf8")) as unknown));
  }
  return { loadMs: median(loads), parseMs: median(parses) };
}

async function loadHead(ledger: Ledger, key: SessionKey): Promise<SessionContent> {
  const head = await ledger.snapshots.findHead(key);
  if (head === undefined) throw new Error("The conversation has no head.");
  return head.content;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
