import { objectOf, optional } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import { optionalId } from "../schema/scalars.ts";

/** Which snapshot is asked for: one by id, or the head of a session. */
export type GetSnapshotRequest = {
  readonly snapshotId?: string;
  readonly sessionId?: string;
};

const readGetSnapshotRequest = objectOf<GetSnapshotRequest>({
  snapshotId: optional(optionalId),
  sessionId: optional(optionalId),
});

/** Parses a request for a snapshot. Whether none or both ids are legal is for the agent to judge. */
export const parseGetSnapshotRequest: Parser<GetSnapshotRequest> = parserOf(
  "request",
  readGetSnapshotRequest,
);
