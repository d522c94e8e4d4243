import { readFileSync } from "node:fs";
import type { FinishAnswer } from "../../src/ledger/index.ts";
import type { AbandonNote, ClaimNote } from "./take-overs.ts";

/** What the workers wrote down before they died. */
export interface WorkerJournal {
  readonly committed: ReadonlySet<string>;
  readonly stopped: ReadonlySet<string>;
  readonly claims: readonly ClaimNote[];
  readonly abandoned: readonly AbandonNote[];
  /** How often a worker learned that a turn was no longer its own. */
  readonly fenced: number;
  readonly busyErrors: number;
  readonly unexpectedErrors: readonly string[];
}

interface Entry {
  readonly finished?: FinishAnswer["kind"];
  readonly snapshotId?: string;
  readonly claimed?: ClaimNote;
  readonly abandoned?: AbandonNote;
  readonly fenced?: string;
  readonly error?: string;
}

export function readWorkerJournal(file: string): WorkerJournal {
  const entries = linesOf(file).map((line) => JSON.parse(line) as Entry);
  const finishedAs = (kind: FinishAnswer["kind"]): ReadonlySet<string> =>
    new Set(entries.flatMap((entry) => (entry.finished === kind ? [entry.snapshotId ?? ""] : [])));
  const errors = entries.flatMap(({ error }) => error ?? []);
  const unexpectedErrors = errors.filter((error) => !error.startsWith("retryable"));
  return {
    committed: finishedAs("committed"),
    stopped: finishedAs("stopped"),
    claims: entries.flatMap(({ claimed }) => claimed ?? []),
    abandoned: entries.flatMap(({ abandoned }) => abandoned ?? []),
    fenced: finishedAs("fenced").size + entries.filter(({ fenced }) => fenced !== undefined).length,
    busyErrors: errors.length - unexpectedErrors.length,
    unexpectedErrors,
  };
}

export function linesOf(file: string): readonly string[] {
  return readFileSync(file, "utf8").split("\n").slice(0, -1);
}
