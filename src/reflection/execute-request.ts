import type { CallOptions } from "../agent/index.ts";
import type { ServedAgent } from "../http/index.ts";
import {
  type AgentInput,
  ANSWER_LIMITS,
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

/**
 * Takes the RFC's message and our inputs, the RFC's `init` and ours.
 *
 * @throws TurnkeepError INVALID_ARGUMENT; FAILED_PRECONDITION when state is sent to an agent that keeps it.
 */
export function parseExecute(agent: ServedAgent, body: Json): ExecuteRequest {
  const { input, init, stream, telemetryLabels, onBusy, expectedHead, requestId } = fieldsOf(body);
  const said = { onBusy, expectedHead, requestId, telemetryLabels };
  // Their types are checked by the agent.
  const given = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return {
    input: inputOf(agent, input),
    start: { ...startOf(agent, init), ...given },
    isStreamed: stream === true,
  };
}

function inputOf(agent: ServedAgent, input: Json | undefined): AgentInput {
  if (input === undefined) return {};
  const fields = fieldsOf(input, "'input'");
  const isMessage = "role" in fields || "content" in fields;
  return agent.parseClientInput(isMessage ? { message: fields } : fields);
}

function startOf(agent: ServedAgent, init: Json | undefined): CallOptions<never> {
  const fields = init === undefined || init === null ? {} : fieldsOf(init, "'init'");
  const { sessionId, snapshotId, promptInput } = fields;
  const carried = carriedState(fields);
  if (agent.metadata.stateManagement === "server") {
    if (carried) throw stateIsKept(agent.name);
    return startFrom({ sessionId, snapshotId, promptInput });
  }
  if (snapshotId !== undefined) throw invalid(`Agent '${agent.name}' keeps no snapshots.`);
  const own = typeof sessionId === "string" ? { sessionId } : {};
  if (carried) agent.checkClientState(carried);
  const state = carried || sessionId !== undefined ? { ...own, ...carried } : undefined;
  return {
    ...startFrom({ promptInput }),
    ...(state && { state: state as SessionState<never> }),
  };
}

function startFrom(fields: Fields): CallOptions<never> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return parseAgentInit(Object.fromEntries(given)) as CallOptions<never>;
}

const STATE_FIELDS = ["messages", "custom", "artifacts", "promptInput", "token"];

// What the RFC sends empty is not there.
function carriedState(fields: Fields): SessionState | undefined {
  const { messages, artifacts, state, sessionState } = fields;
  const limits = { limits: ANSWER_LIMITS };
  if (sessionState !== undefined) return parseSessionState(sessionState, limits);
  const isWhole =
    messages === undefined &&
    artifacts === undefined &&
    isObject(state) &&
    STATE_FIELDS.some((name) => name in state);
  if (isWhole) return parseSessionState(state, limits);
  const parts = { messages, artifacts, custom: state };
  const said = Object.entries(parts).filter(([, value]) => !isEmpty(value));
  return said.length === 0 ? undefined : parseSessionState(Object.fromEntries(said), limits);
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
