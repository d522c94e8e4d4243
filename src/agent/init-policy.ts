import { TurnkeepError } from "../protocol/index.ts";
import { findPublicId } from "./public-id.ts";

/** What a caller may say about where a run starts. */
export interface RunStart {
  readonly sessionId?: string | undefined;
  readonly snapshotId?: string | undefined;
  readonly state?: unknown;
  readonly metadata?: unknown;
}

/**
 * Refuses a start that does not fit how the agent keeps its state. Such misuse throws; a snapshot that is not there is no misuse and
 * fails the run instead.
 *
 * @throws TurnkeepError FAILED_PRECONDITION or INVALID_ARGUMENT.
 */
export function checkStart(agent: string, start: RunStart, hasStore: boolean): void {
  checkTogether(agent, start);
  if (hasStore) return checkStored(agent, start);
  if (start.snapshotId !== undefined) throw idSent(agent, "snapshotId");
  if (start.sessionId !== undefined) throw idSent(agent, "sessionId");
  if (start.metadata !== undefined) throw metadataSent(agent);
}

// Each of them says by itself where the conversation goes on.
function checkTogether(agent: string, { sessionId, snapshotId, state }: RunStart): void {
  if (state === undefined || (sessionId === undefined && snapshotId === undefined)) return;
  const id = snapshotId === undefined ? "sessionId" : "snapshotId";
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    `Cannot send 'state' and '${id}' together to agent '${agent}'. Send one of them; the state names its session itself.`,
  );
}

function checkStored(agent: string, { sessionId, snapshotId, state }: RunStart): void {
  if (state !== undefined) throw stateSent(agent);
  if (snapshotId === undefined || sessionId === undefined) return;
  const owner = findPublicId(snapshotId)?.sessionId;
  if (owner === undefined || owner === sessionId) return;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    `Snapshot ${snapshotId} does not belong to session ${sessionId} (it belongs to ${owner}).`,
  );
}

function idSent(agent: string, field: "sessionId" | "snapshotId"): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `Cannot use '${field}' with agent '${agent}': this agent has no store configured (client-managed state). Send 'state' instead.`,
  );
}

function metadataSent(agent: string): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `Cannot use 'metadata' with agent '${agent}': this agent has no store configured, so its sessions are listed nowhere. Remove 'metadata', or define the agent with a 'store'.`,
  );
}

function stateSent(agent: string): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `Cannot send 'state' to agent '${agent}': this agent uses a server-managed store. Send 'snapshotId' or 'sessionId' instead.`,
  );
}
