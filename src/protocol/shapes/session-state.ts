import type { Json } from "../json.ts";
import { freeJson } from "../schema/free-json.ts";
import { listOf } from "../schema/list-of.ts";
import { objectOf, optional } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import type { Reader } from "../schema/reader.ts";
import { optionalId } from "../schema/scalars.ts";
import { type Artifact, readArtifact } from "./artifact.ts";
import { type Message, readMessage } from "./message.ts";

/** What a snapshot captures of a session. */
export type SessionState<Custom = Json> = {
  readonly sessionId?: string;
  readonly messages?: readonly Message[];
  readonly custom?: Custom;
  readonly artifacts?: readonly Artifact[];
  /** What the agent's prompt is rendered with; fixed when the session starts. */
  readonly promptInput?: Json;
};

export const readSessionState: Reader<SessionState> = objectOf<SessionState>({
  sessionId: optional(optionalId),
  messages: optional(listOf(readMessage)),
  custom: optional(freeJson),
  artifacts: optional(listOf(readArtifact)),
  promptInput: optional(freeJson),
});

/** Parses a state, such as one kept by a client. */
export const parseSessionState: Parser<SessionState> = parserOf("state", readSessionState);
