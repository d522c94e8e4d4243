import type { Json } from "../json.ts";
import { freeJson } from "../schema/free-json.ts";
import { listOf } from "../schema/list-of.ts";
import { closedObjectOf, type FieldsOf, objectOf, optional } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import type { Place } from "../schema/place.ts";
import type { Reader } from "../schema/reader.ts";
import { count, optionalId } from "../schema/scalars.ts";
import type { Hints } from "../unknown-name.ts";
import { type Artifact, readArtifact } from "./artifact.ts";
import { type Message, readMessage } from "./message.ts";

const TOKEN = /^[\w.~-]+$/;

/** What a snapshot captures of a session. */
export type SessionState<Custom = Json> = {
  readonly sessionId?: string;
  readonly messages?: readonly Message[];
  readonly custom?: Custom;
  readonly artifacts?: readonly Artifact[];
  /** What the agent's prompt is rendered with; fixed when the session starts. */
  readonly promptInput?: Json;
  /** Which version of its schema the custom state follows; absent for a state without versions. */
  readonly stateVersion?: number;
  /** Proves to the server that issued it that the state is its own, or holds the state sealed. Sent back as it came. */
  readonly token?: string;
};

const FIELDS: FieldsOf<SessionState> = {
  sessionId: optional(optionalId),
  messages: optional(listOf(readMessage)),
  custom: optional(freeJson),
  artifacts: optional(listOf(readArtifact)),
  promptInput: optional(freeJson),
  stateVersion: optional(count),
  token: optional(readToken),
};

/** Where the members of a state go that are sent beside it. */
export const STATE_HINTS: Hints = {
  messages: "state.messages",
  artifacts: "state.artifacts",
  custom: "state.custom",
};

/** A state in an answer. */
export const readSessionState: Reader<SessionState> = objectOf(FIELDS);

/** A state that is sent: what it holds under an unknown name would be lost. */
export const readSentState: Reader<SessionState> = closedObjectOf(FIELDS);

/** Parses a state, such as one kept by a client. */
export const parseSessionState: Parser<SessionState> = parserOf("state", readSentState);

// A sealed state is one long string, so it is held to the limit of the whole text.
function readToken(value: unknown, place: Place): string {
  if (typeof value !== "string" || !TOKEN.test(value)) place.refuse("a token");
  const most = place.limits.textBytes;
  return value.length > most ? place.exceed(`a token of at most ${most} bytes`) : value;
}
