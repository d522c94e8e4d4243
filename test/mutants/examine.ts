import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryStore } from "../../src/stores/memory/index.ts";
import { openSqliteStore } from "../../src/stores/sqlite/index.ts";
import { runContract, storeContract } from "../../src/testing/index.ts";
import { checkHistories } from "../ledger/model/check-histories.ts";

// Runs with one fault planted in the source: exits 1, saying what noticed it, or 0 when nothing did.
const [first = "contract", runs = "10000", ...seeds] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), "turnkeep-examine-"));
let count = 0;

const EXAMINATIONS: Readonly<Record<string, () => Promise<string | undefined>>> = {
  contract: async () => {
    const stores = {
      memory: async () => new MemoryStore(),
      sqlite: () => openSqliteStore(join(folder, `${(count += 1)}.db`)),
    };
    for (const [name, create] of Object.entries(stores)) {
      const { failures } = await runContract(storeContract, { create });
      if (failures.length > 0) return `the ${name} store's contract: ${failures[0]?.name}`;
    }
    return undefined;
  },
  model: async () => {
    for (const seed of seeds) {
      try {
        await checkHistories({ runs: Number(runs), seed: Number(seed), endOnFailure: true });
      } catch (error) {
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
        return `the model: ${String(cause)}`;
      }
    }
    return undefined;
  },
};

async function noticed(): Promise<string | undefined> {
  const names = Object.keys(EXAMINATIONS).toSorted((name) => (name === first ? -1 : 1));
  for (const name of names) {
    const by = await EXAMINATIONS[name]?.();
    if (by !== undefined) return by;
  }
  return undefined;
}

const by = await noticed().catch((error: unknown) => `a crash: ${String(error)}`);
rmSync(folder, { recursive: true, force: true });
console.log(by ?? "nothing");
process.exit(by === undefined ? 0 : 1);
