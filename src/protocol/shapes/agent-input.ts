import type { Json } from "../json.ts";
import { freeJson } from "../schema/free-json.ts";
import { partListOf } from "../schema/list-of.ts";
import { closedObjectOf, optional } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import { flag } from "../schema/scalars.ts";
import { type Message, readMessage } from "./message.ts";
import { readerOfKind, type ToolRequestPart, type ToolResponsePart } from "./part.ts";

/** How a client settles open interrupts. */
export type Resume = {
  /** Answers given in place of the tools. */
  readonly respond?: readonly ToolResponsePart[] | undefined;
  /** Requests whose tools are to be run again. */
  readonly restart?: readonly ToolRequestPart[] | undefined;
  /** Answer an interrupt that was answered before, in another branch or fork. Only in process: servers refuse it from clients. */
  readonly again?: boolean | undefined;
};

/** What one turn is given. */
export type AgentInput = {
  readonly message?: Message | undefined;
  readonly resume?: Resume | undefined;
  /** Let the run go on in the background and answer at once. */
  readonly detach?: boolean | undefined;
  /** What the agent's prompt is rendered with; counts only with the input that starts the session. */
  readonly promptInput?: Json | undefined;
};

const readResume = closedObjectOf<Resume>({
  respond: optional(partListOf(readerOfKind("toolResponse"))),
  restart: optional(partListOf(readerOfKind("toolRequest"))),
  again: optional(flag),
});

const readAgentInput = closedObjectOf<AgentInput>({
  message: optional(readMessage),
  resume: optional(readResume),
  detach: optional(flag),
  promptInput: optional(freeJson),
});

/** Parses the input of one turn. */
export const parseAgentInput: Parser<AgentInput> = parserOf("input", readAgentInput);
