import type { Json, JsonObject } from "../json.ts";
import { freeJson, freeObject } from "../schema/free-json.ts";
import { objectOf, optional } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import { optionalId } from "../schema/scalars.ts";
import { readSessionState, type SessionState } from "./session-state.ts";

/** Where a run starts from. Empty means a fresh session. */
export type AgentInit<Custom = Json> = {
  readonly snapshotId?: string;
  readonly sessionId?: string;
  /** The whole state, for agents whose client keeps it. */
  readonly state?: SessionState<Custom>;
  /** What the agent's prompt is rendered with; counts only when the session starts. */
  readonly promptInput?: Json;
  /** Added to what is noted of the session, where there is a store: a user's id, and the like. */
  readonly metadata?: JsonObject;
};

const readAgentInit = objectOf<AgentInit>({
  snapshotId: optional(optionalId),
  sessionId: optional(optionalId),
  state: optional(readSessionState),
  promptInput: optional(freeJson),
  metadata: optional(freeObject),
});

/** Parses where a run is to start from. Which fields go together is for the agent to judge. */
export const parseAgentInit: Parser<AgentInit> = parserOf("init", readAgentInit);
