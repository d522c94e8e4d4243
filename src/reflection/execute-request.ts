import type { CallOptions } from "../agent/index.ts";
import type { ServedAgent } from "../http/index.ts";
import {
  type AgentInput,
  ANSWER_LIMITS,
  checkNames,
  type KnownNames,
  type Json,
  parseAgentInit,
  parseSessionState,
  type SessionState,
  TurnkeepError,
} from "../protocol/index.ts";
import { type Fields, fieldsOf, invalid } from "./query.ts";

/** What a client asks an agent to do. */
export interface ExecuteRequest {
  readonly input: AgentInput;
  readonly start: CallOptions<never>;
  readonly isStreamed: boolean;
}

const FIELDS: KnownNames = {
  kind: "request field",
  names: ["input", "init", "stream", "telemetryLabels", "onBusy", "expectedHead", "requestId"],
};

/**
 * Takes the RFC's message and our inputs, the RFC's `init` and ours.
 *
 * @throws TurnkeepError INVALID_ARGUMENT; FAILED_PRECONDITION when state is sent to an agent that keeps it.
 */
export function parseExecute(agent: ServedAgent, body: Json): ExecuteRequest {
  const fields = fieldsOf(body);
  checkNames(fields, FIELDS);
  const { input, init, stream = false, telemetryLabels, onBusy, expectedHead, requestId } = fields;
  if (typeof stream !== "boolean") throw invalid("'stream' must be true or false.");
  const said = { onBusy, expectedHead, requestId, telemetryLabels };
  // Their types are checked by the agent.
  const given = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return {
    input: parseInput(agent, input),
    start: { ...parseStart(agent, init), ...given },
    isStreamed: stream,
  };
}

/**
 * A message as the RFC has it, whose content may be text, or all that a turn can be given.
 *
 * @throws TurnkeepError INVALID_ARGUMENT.
 */
export function parseInput(agent: ServedAgent, input: Json | undefined): AgentInput {
  if (input === undefined) throw invalid("'input' is missing. Send a message, or {} for a retry.");
  const { role = "user", content, metadata, ...rest } = fieldsOf(input, "'input'");
  const isMessage = isObject(input) && ("role" in input || "content" in input);
  if (!isMessage) return agent.parseClientInput(input);
  if (rest["message"] !== undefined) {
    throw invalid("'input' has a 'content' and a 'message'. Send one of them.");
  }
  const parts = typeof content === "string" ? [{ text: content }] : content;
  return agent.parseClientInput({ ...rest, message: { role, content: parts, metadata } });
}

const INIT_FIELDS: KnownNames = {
  kind: "init field",
  names: [
    "sessionId",
    "snapshotId",
    "messages",
    "state",
    "artifacts",
    "promptInput",
    "metadata",
    "sessionState",
  ],
  hints: { custom: "state" },
};

/**
 * Where a conversation goes on, by the RFC's members or ours.
 *
 * @throws TurnkeepError INVALID_ARGUMENT; FAILED_PRECONDITION when state is sent to an agent that keeps it.
 */
export function parseStart(agent: ServedAgent, init: Json | undefined): CallOptions<never> {
  const fields = init === undefined || init === null ? {} : fieldsOf(init, "'init'");
  checkNames(fields, INIT_FIELDS);
  const { sessionId, snapshotId, promptInput, metadata } = fields;
  const carried = carriedState(fields);
  if (agent.metadata.stateManagement === "server") {
    if (carried) throw stateIsKept(agent.name);
    return startFrom({ sessionId, snapshotId, promptInput, metadata });
  }
  const own = typeof sessionId === "string" ? { sessionId } : {};
  if (carried) agent.checkClientState(carried);
  const state = carried || sessionId !== undefined ? { ...own, ...carried } : undefined;
  return {
    ...startFrom({ snapshotId, promptInput, metadata }),
    ...(state && { state: state as SessionState<never> }),
  };
}

function startFrom(fields: Fields): CallOptions<never> {
  return parseAgentInit(fields) as CallOptions<never>;
}

const STATE_FIELDS = ["messages", "custom", "artifacts", "promptInput", "token"];

// The RFC sends everything, also where all of it is empty: then nothing is carried.
function carriedState(fields: Fields): SessionState | undefined {
  const { messages, artifacts, state, sessionState } = fields;
  const limits = { limits: ANSWER_LIMITS };
  if (!isEmpty(sessionState)) return parseSessionState(sessionState, limits);
  const isWhole =
    messages === undefined &&
    artifacts === undefined &&
    isObject(state) &&
    STATE_FIELDS.some((name) => name in state);
  if (isWhole) return parseSessionState(state, limits);
  if ([messages, artifacts, state].every(isEmpty)) return undefined;
  return parseSessionState({ messages, artifacts, custom: state }, limits);
}

function isObject(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function stateIsKept(agent: string): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `Agent '${agent}' keeps its state itself: name a session or a snapshot, and send no state. To go on from an edited state, fork a snapshot.`,
  );
}
