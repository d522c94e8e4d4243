import type { Json } from "../json.ts";
import { freeJson } from "../schema/free-json.ts";
import { ANSWER_LIMITS } from "../limits.ts";
import { listOf } from "../schema/list-of.ts";
import { objectOf, optional } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import { id, optionalId } from "../schema/scalars.ts";
import { type AgentFinishReason, readFinishReason } from "./agent-finish-reason.ts";
import { type Artifact, readArtifact } from "./artifact.ts";
import { type Message, readMessage } from "./message.ts";
import { readRuntimeError, type RuntimeError } from "./runtime-error.ts";
import { readSessionState, type SessionState } from "./session-state.ts";

/** What a run answers with, as it crosses the wire. */
export type AgentOutputData<Custom = Json, Output = Json> = {
  readonly sessionId?: string;
  /** Only where the server keeps the state. */
  readonly snapshotId?: string;
  /** All snapshots that the run saved, in order: those of its turns, and those of tool rounds between them. Absent when there are none. */
  readonly snapshotIds?: readonly string[];
  /** Only where the client keeps the state. */
  readonly state?: SessionState<Custom>;
  readonly message?: Message;
  /** The whole history; only in outputs of generator agents. */
  readonly messages?: readonly Message[];
  readonly artifacts?: readonly Artifact[];
  /** What the message says, where the agent answers in a shape of its own. */
  readonly output?: Output;
  readonly finishReason?: AgentFinishReason;
  readonly error?: RuntimeError;
};

/** What a run answers with. */
export type AgentOutput<Custom = Json, Output = Json> = AgentOutputData<Custom, Output> & {
  readonly sessionId: string;
  /** The text of the message; empty where it says none. Not sent over the wire. */
  readonly text: string;
};

const readAgentOutput = objectOf<AgentOutputData>({
  sessionId: optional(optionalId),
  snapshotId: optional(optionalId),
  snapshotIds: optional(listOf(id)),
  state: optional(readSessionState),
  message: optional(readMessage),
  messages: optional(listOf(readMessage)),
  artifacts: optional(listOf(readArtifact)),
  output: optional(freeJson),
  finishReason: optional(readFinishReason),
  error: optional(readRuntimeError),
});

/** Parses the output of a run, as a server sends it. */
export const parseAgentOutput: Parser<AgentOutputData> = parserOf(
  "output",
  readAgentOutput,
  ANSWER_LIMITS,
);
