import type { HeadRecord } from "./head-record.ts";

/** The first line of a session file. */
export interface SessionFileHeader {
  readonly format: "turnkeep-session";
  readonly version: 1;
  readonly agent: string;
  readonly sessionId: string;
  readonly session: Pick<
    HeadRecord,
    | "head"
    | "rev"
    | "branches"
    | "labels"
    | "pins"
    | "forkedFrom"
    | "about"
    | "createdAt"
    | "updatedAt"
  >;
}
