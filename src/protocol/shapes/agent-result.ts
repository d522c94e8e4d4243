import { ANSWER_LIMITS } from "../limits.ts";
import { listOf } from "../schema/list-of.ts";
import { objectOf, optional } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import { type AgentFinishReason, readFinishReason } from "./agent-finish-reason.ts";
import { type Artifact, readArtifact } from "./artifact.ts";
import { type Message, readMessage } from "./message.ts";

/** What a custom agent's function returns. */
export type AgentResult = {
  readonly message?: Message | undefined;
  readonly artifacts?: readonly Artifact[] | undefined;
  readonly finishReason?: AgentFinishReason | undefined;
};

const readAgentResult = objectOf<AgentResult>({
  message: optional(readMessage),
  artifacts: optional(listOf(readArtifact)),
  finishReason: optional(readFinishReason),
});

/** Parses what a custom agent's function returned. */
export const parseAgentResult: Parser<AgentResult> = parserOf(
  "result",
  readAgentResult,
  ANSWER_LIMITS,
);
