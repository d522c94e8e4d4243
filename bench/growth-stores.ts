import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryStore } from "turnkeep/stores/memory";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { type SessionStore, systemClock } from "../src/ledger/index.ts";

/** A fresh store whose clock can be moved, and a directory that goes when it does. */
export interface BenchStore {
  readonly store: SessionStore;
  readonly directory: string;
  /** Moves the store's clock, so that things get old. */
  readonly advance: (milliseconds: number) => void;
  /** What the store takes up. */
  readonly storedBytes: () => number;
  readonly remove: () => Promise<void>;
}

export type BenchStoreName = "memory" | "sqlite";

export const BENCH_STORES: Readonly<Record<BenchStoreName, () => Promise<BenchStore>>> = {
  memory: openMemory,
  sqlite: openSqlite,
};

async function openMemory(): Promise<BenchStore> {
  const clock = new MovableClock();
  const store = new MemoryStore({ clock });
  return benchStore(store, clock, { storedBytes: () => store.storedBytes() });
}

async function openSqlite(): Promise<BenchStore> {
  const clock = new MovableClock();
  const directory = mkdtempSync(join(tmpdir(), "turnkeep-bench-"));
  const file = join(directory, "bench.db");
  const store = await openSqliteStore(file, { clock });
  const storedBytes = (): number => sizeOf(file) + sizeOf(`${file}-wal`);
  return benchStore(store, clock, { storedBytes, directory });
}

function benchStore(
  store: SessionStore,
  clock: MovableClock,
  {
    storedBytes,
    directory = mkdtempSync(join(tmpdir(), "turnkeep-bench-")),
  }: {
    readonly storedBytes: () => number;
    readonly directory?: string;
  },
): BenchStore {
  return {
    store,
    directory,
    storedBytes,
    advance: clock.advance,
    remove: async () => {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

class MovableClock {
  #ahead = 0;

  readonly now = (): number => systemClock.now() + this.#ahead;

  readonly advance = (milliseconds: number): void => {
    this.#ahead += milliseconds;
  };
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}
