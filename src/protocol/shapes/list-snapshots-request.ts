import { objectOf, optional } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import { count, optionalId } from "../schema/scalars.ts";

/** Asks for a page of a session's snapshots. */
export type ListSnapshotsRequest = {
  readonly sessionId?: string;
  readonly limit?: number;
  /** The last snapshot of the page before. */
  readonly after?: string;
};

/** Parses a request for a session's snapshots. */
export const parseListSnapshotsRequest: Parser<ListSnapshotsRequest> = parserOf(
  "request",
  objectOf<ListSnapshotsRequest>({
    sessionId: optional(optionalId),
    limit: optional(count),
    after: optional(optionalId),
  }),
);
