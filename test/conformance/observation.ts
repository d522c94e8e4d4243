import type {
  AgentFinishReason,
  AgentStreamChunk,
  Artifact,
  Message,
  SessionState,
} from "turnkeep";
import type { RuntimeError, SnapshotStatus } from "turnkeep/protocol";

/** What came of a step. */
export interface Observation {
  /** What it rejected with. */
  readonly error?: ObservedError;
  readonly chunks?: readonly AgentStreamChunk[];
  /** The output or the snapshot it ended in. */
  readonly record?: ObservedRecord;
  /** Of an abort. */
  readonly previousStatus?: SnapshotStatus;
}

/** An output, a snapshot or the end of a turn: what the spec can expect of them goes by the same names. */
export interface ObservedRecord {
  readonly sessionId?: string;
  readonly snapshotId?: string;
  readonly parentId?: string;
  readonly status?: SnapshotStatus;
  readonly state?: SessionState;
  readonly message?: Message;
  readonly artifacts?: readonly Artifact[];
  readonly finishReason?: AgentFinishReason;
  readonly error?: RuntimeError;
}

export interface ObservedError {
  readonly status?: string;
  readonly message: string;
  readonly details?: unknown;
}

/** An error as the spec sees it. Genkit's own and ours both have a status; others have none. */
export function observedErrorOf(error: unknown): ObservedError {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message } = error;
  const status = "status" in error && typeof error.status === "string" ? error.status : undefined;
  return {
    ...(status !== undefined && { status }),
    message,
    ...("details" in error && { details: error.details }),
  };
}
