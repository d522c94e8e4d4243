import { followRun, type Ledger, type RunEvent, type SessionKey } from "../ledger/index.ts";
import type { AgentOutput } from "../protocol/index.ts";

type TurnEnd = Extract<RunEvent, { readonly type: "turnEnd" }>;

/** How a run came out, as its log says. */
export interface LoggedOutcome {
  /** The snapshot that says the rest; absent when the run left none. */
  readonly snapshotId?: string | undefined;
  readonly output: Pick<AgentOutput, "finishReason" | "error">;
}

/**
 * Reads the log of a run up to its end, for which it waits.
 *
 * @throws TurnkeepError NOT_FOUND when there is no such run.
 */
export async function findOutcome(
  ledger: Ledger,
  key: SessionKey,
  run: { readonly runId: string; readonly signal?: AbortSignal },
): Promise<LoggedOutcome> {
  let last: TurnEnd | undefined;
  let rest: string | undefined;
  for await (const page of followRun(ledger, key, run)) {
    for (const held of page.flat()) {
      if (held.type === "chunk") continue;
      const { event } = held;
      if (event.type === "runEnd") rest = event.snapshotId;
      if (event.type === "turnEnd" && (last === undefined || isHeard(event))) last = event;
    }
  }
  const { snapshotId, finishReason, error } = last ?? {};
  const reason = finishReason === undefined ? {} : { finishReason };
  return { snapshotId: rest ?? snapshotId, output: { ...reason, ...(error && { error }) } };
}

// Inputs that nobody worked on say nothing of how the run came out.
function isHeard({ snapshotId, status }: TurnEnd): boolean {
  return snapshotId !== undefined || status !== "aborted";
}
