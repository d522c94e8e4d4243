import { setTimeout } from "node:timers/promises";
import type { SessionStore } from "../../ledger/index.ts";
import type { ContractCase, StoreTools } from "./contract-case.ts";

/** How a store did in all the cases of the contract. */
export interface ContractReport {
  readonly passed: number;
  /** Names of the cases that the store does not claim, or that lacked `reopen`. */
  readonly skipped: readonly string[];
  readonly failures: readonly ContractFailure[];
}

/** A case that the store did not pass, and why. */
export interface ContractFailure {
  readonly name: string;
  readonly error: unknown;
}

const TIMEOUT_MS = 20_000;

/** Runs every case without any test runner. */
export async function runContract(
  contract: readonly ContractCase[],
  tools: StoreTools,
): Promise<ContractReport> {
  const skipped: string[] = [];
  const failures: ContractFailure[] = [];
  for (const contractCase of contract) {
    const { name } = contractCase;
    try {
      if ((await runCase(contractCase, tools)) === "skipped") skipped.push(name);
    } catch (error) {
      failures.push({ name, error });
    }
  }
  return { passed: contract.length - skipped.length - failures.length, skipped, failures };
}

/** Runs one case on a new store, for test runners. Rejects when it fails or takes too long. */
export async function runCase(
  contractCase: ContractCase,
  tools: StoreTools,
): Promise<"passed" | "skipped"> {
  const stores: SessionStore[] = [await tools.create()];
  const [store] = stores as [SessionStore];
  try {
    if (!applies(contractCase, store, tools)) return "skipped";
    await store.open();
    const reopen = async (): Promise<SessionStore> => {
      const other = await getReopen(tools)(store);
      stores.push(other);
      await other.open();
      return other;
    };
    await withTimeout(contractCase.run(store, { reopen }));
    return "passed";
  } finally {
    await Promise.all(stores.map((opened) => opened.close()));
  }
}

function applies({ needs }: ContractCase, store: SessionStore, tools: StoreTools): boolean {
  if (needs === undefined) return true;
  if (tools.reopen === undefined) return false;
  return needs === "durability"
    ? store.capabilities.durability !== "none"
    : store.capabilities.multiProcess;
}

function getReopen({ reopen }: StoreTools): NonNullable<StoreTools["reopen"]> {
  if (reopen === undefined)
    throw new Error("The case uses reopen() without saying that it needs it.");
  return reopen;
}

async function withTimeout(work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const tooLong = setTimeout(TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`Not done after ${TIMEOUT_MS} ms.`);
  });
  try {
    await Promise.race([work, tooLong]);
  } finally {
    timer.abort();
    await tooLong.catch(() => {});
  }
}
