import type { Json } from "../json.ts";
import { ANSWER_LIMITS } from "../limits.ts";
import { type JsonPatchOperation, readJsonPatch } from "../patch/json-patch-operation.ts";
import { freeJson } from "../schema/free-json.ts";
import { objectOf, optional, required } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import type { Reader } from "../schema/reader.ts";
import { name, optionalId } from "../schema/scalars.ts";
import { type Artifact, readArtifact } from "./artifact.ts";
import { type ModelChunk, readModelChunk } from "./model-chunk.ts";
import { readTurnEnd, type TurnEnd } from "./turn-end.ts";

/** One element of a run's stream. Usually one field is set; several are legal. */
export type AgentStreamChunk<Status = Json> = {
  /** The session that the run belongs to; named in every chunk of a generator agent. */
  readonly sessionId?: string;
  readonly modelChunk?: ModelChunk;
  /** How the custom state changed; pointers start at the custom state. */
  readonly customPatch?: readonly JsonPatchOperation[];
  readonly artifact?: Artifact;
  /** What the agent says it is doing, in the agent's own type. */
  readonly status?: Status;
  readonly turnEnd?: TurnEnd;
  /** What another agent streams that works for this one. A client that shows only the agent it talks to leaves it out. */
  readonly subAgent?: SubAgentChunk;
};

/** A chunk of an agent that works for another: the name it is asked by, and what it streams. */
export type SubAgentChunk = {
  readonly name: string;
  readonly chunk: AgentStreamChunk;
};

const readSubAgentChunk: Reader<SubAgentChunk> = objectOf<SubAgentChunk>({
  name: required(name),
  chunk: required((value, place) => readAgentStreamChunk(value, place)),
});

const readAgentStreamChunk: Reader<AgentStreamChunk> = objectOf<AgentStreamChunk>({
  sessionId: optional(optionalId),
  modelChunk: optional(readModelChunk),
  customPatch: optional(readJsonPatch),
  artifact: optional(readArtifact),
  status: optional(freeJson),
  turnEnd: optional(readTurnEnd),
  subAgent: optional(readSubAgentChunk),
});

/** Parses one element of a stream, as a server sends it. */
export const parseAgentStreamChunk: Parser<AgentStreamChunk> = parserOf(
  "chunk",
  readAgentStreamChunk,
  ANSWER_LIMITS,
);
