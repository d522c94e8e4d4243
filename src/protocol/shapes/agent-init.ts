import type { Json, JsonObject } from "../json.ts";
import { freeJson, freeObject } from "../schema/free-json.ts";
import { closedObjectOf, optional } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import { optionalId } from "../schema/scalars.ts";
import { readSentState, type SessionState, STATE_HINTS } from "./session-state.ts";

/** Where a run starts from. Empty means a fresh session. */
export type AgentInit<Custom = Json> = {
  readonly snapshotId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The whole state, for agents whose client keeps it. */
  readonly state?: SessionState<Custom> | undefined;
  /** What the agent's prompt is rendered with; counts only when the session starts. */
  readonly promptInput?: Json | undefined;
  /** Added to what is noted of the session, where there is a store: a user's id, and the like. */
  readonly metadata?: JsonObject | undefined;
};

const readAgentInit = closedObjectOf<AgentInit>(
  {
    snapshotId: optional(optionalId),
    sessionId: optional(optionalId),
    state: optional(readSentState),
    promptInput: optional(freeJson),
    metadata: optional(freeObject),
  },
  STATE_HINTS,
);

/** Parses where a run is to start from. Which fields go together is for the agent to judge. */
export const parseAgentInit: Parser<AgentInit> = parserOf("init", readAgentInit);
