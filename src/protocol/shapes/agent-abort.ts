import { ANSWER_LIMITS } from "../limits.ts";
import { objectOf, optional, required } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import { id } from "../schema/scalars.ts";
import { readSnapshotStatus, type SnapshotStatus } from "./snapshot-status.ts";

/** Stop the run that is writing this snapshot. */
export type AgentAbortRequest = {
  readonly snapshotId: string;
};

/** The status after the attempt; none when the snapshot is unknown. */
export type AgentAbortResponse = {
  readonly snapshotId: string;
  readonly status?: SnapshotStatus;
};

const readAgentAbortRequest = objectOf<AgentAbortRequest>({ snapshotId: required(id) });

const readAgentAbortResponse = objectOf<AgentAbortResponse>({
  snapshotId: required(id),
  status: optional(readSnapshotStatus),
});

/** Parses a request to abort. */
export const parseAgentAbortRequest: Parser<AgentAbortRequest> = parserOf(
  "request",
  readAgentAbortRequest,
);

/** Parses the answer to an abort, as a server sends it. */
export const parseAgentAbortResponse: Parser<AgentAbortResponse> = parserOf(
  "response",
  readAgentAbortResponse,
  ANSWER_LIMITS,
);
