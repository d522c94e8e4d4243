import type { Json, JsonObject } from "../json.ts";
import { ANSWER_LIMITS } from "../limits.ts";
import { freeObject } from "../schema/free-json.ts";
import { objectOf, optional, required } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import { count, id, optionalId, timestamp } from "../schema/scalars.ts";
import { type AgentFinishReason, readFinishReason } from "./agent-finish-reason.ts";
import { readRuntimeError, type RuntimeError } from "./runtime-error.ts";
import { readSessionState, type SessionState } from "./session-state.ts";
import { readSnapshotEvent, type SnapshotEventName } from "./snapshot-event.ts";
import { readSnapshotStatus, type SnapshotStatus } from "./snapshot-status.ts";

/** One node of a session's tree, as clients see it. Times are RFC 3339. */
export type SessionSnapshot<Custom = Json> = {
  readonly snapshotId: string;
  readonly sessionId?: string;
  readonly parentId?: string;
  /** The run whose turn it is; absent on the first snapshot of a fork. */
  readonly runId?: string;
  /** Which turn of its run made it, from 0; absent on what no turn made. */
  readonly turnIndex?: number;
  /** What made it. */
  readonly event?: SnapshotEventName;
  /**
   * Digest of the whole content: the same for equal states, of any session. Absent where it has no content of its own, and where a transform may hide some of it
   * from the reader.
   */
  readonly contentHash?: string;
  readonly createdAt: string;
  readonly updatedAt?: string;
  readonly heartbeatAt?: string;
  readonly status?: SnapshotStatus;
  readonly finishReason?: AgentFinishReason;
  readonly error?: RuntimeError;
  /** What the turn used up: tokens and the like. */
  readonly usage?: JsonObject;
  /** Which version of its schema the state is kept in. Where it is older than the agent's, `state` shows it migrated. */
  readonly stateVersion?: number;
  readonly state?: SessionState<Custom>;
};

const readSessionSnapshot = objectOf<SessionSnapshot>({
  snapshotId: required(id),
  sessionId: optional(optionalId),
  parentId: optional(optionalId),
  runId: optional(optionalId),
  turnIndex: optional(count),
  event: optional(readSnapshotEvent),
  contentHash: optional(optionalId),
  createdAt: required(timestamp),
  updatedAt: optional(timestamp),
  heartbeatAt: optional(timestamp),
  status: optional(readSnapshotStatus),
  finishReason: optional(readFinishReason),
  error: optional(readRuntimeError),
  usage: optional(freeObject),
  stateVersion: optional(count),
  state: optional(readSessionState),
});

/** Parses a snapshot, as a server sends it. */
export const parseSessionSnapshot: Parser<SessionSnapshot> = parserOf(
  "snapshot",
  readSessionSnapshot,
  ANSWER_LIMITS,
);
