import type { JsonObject } from "../json.ts";
import { ANSWER_LIMITS } from "../limits.ts";
import { freeObject } from "../schema/free-json.ts";
import { objectOf, optional } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import { flag, nameFrom } from "../schema/scalars.ts";

const STATE_MANAGEMENTS = ["server", "client"] as const;

/** Who keeps the state between turns. */
export type StateManagement = (typeof STATE_MANAGEMENTS)[number];

/** What an agent says about itself to tools that list agents. */
export type AgentMetadata = {
  readonly stateManagement?: StateManagement;
  readonly abortable?: boolean;
  /** JSON Schema of the custom state. */
  readonly stateSchema?: JsonObject;
};

const readAgentMetadata = objectOf<AgentMetadata>({
  stateManagement: optional(nameFrom(STATE_MANAGEMENTS)),
  abortable: optional(flag),
  stateSchema: optional(freeObject),
});

/** Parses what an agent says about itself. */
export const parseAgentMetadata: Parser<AgentMetadata> = parserOf(
  "metadata",
  readAgentMetadata,
  ANSWER_LIMITS,
);
