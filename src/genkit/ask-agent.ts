import type { Genkit } from "genkit";
import type {
  AgentInput,
  AgentStreamChunk,
  AnyLocalAgent,
  LocalAgent,
  Resume,
  SessionState,
  TurnContext,
} from "../agent/index.ts";
import { type AgentInit, type AgentOutputData, TurnkeepError } from "../protocol/index.ts";
import { askedContext } from "./asked-context.ts";
import { agentActions, talkAction } from "./companion-actions.ts";
import type { ActionOptions, GenkitAction } from "./genkit-action.ts";
import { findMemory, memoryOf } from "./sub-agent-memory.ts";
import { remember, requestIdOf, type ToolCall } from "./tool-call.ts";

/** An agent, or the name of one that Genkit knows. */
export type AgentReference = AnyLocalAgent | string;

/** @throws TurnkeepError NOT_FOUND when Genkit knows no agent of that name. */
export async function findAgent(ai: Genkit, agent: AgentReference): Promise<GenkitAction> {
  // It need not be known to this Genkit, or to any.
  if (typeof agent !== "string") return talkAction(ai, agent as unknown as LocalAgent<never>);
  const found: unknown = await ai.registry.lookupAction(`/agent/${agent}`);
  if (found) return found as GenkitAction;
  throw new TurnkeepError("NOT_FOUND", `Genkit knows no agent named '${agent}'.`);
}

/** An action that reads the agent's snapshots; `undefined` when Genkit knows none. */
export async function findCompanion(
  ai: Genkit,
  agent: AgentReference,
  kind: "getSnapshot" | "waitForSnapshot",
): Promise<GenkitAction | undefined> {
  if (typeof agent !== "string")
    return agentActions(ai, agent as unknown as LocalAgent<never>)[kind];
  const keys = {
    getSnapshot: `/agent-snapshot/${agent}`,
    waitForSnapshot: `/snapshot-store/${agent}/waitForSnapshot`,
  };
  return (await ai.registry.lookupAction(keys[kind])) as unknown as GenkitAction | undefined;
}

/** Whether asking it twice with one request id makes it work once. */
export function remembersRequests(action: GenkitAction): boolean {
  return action.takesRequestId === true && keepsState(action);
}

export interface Asking {
  readonly task: string;
  /** The call of the tool that asks; absent when no agent of ours called it. */
  readonly call: ToolCall | undefined;
  /** What the asking tool was restarted with. */
  readonly resumed: unknown;
  /** What the asked agent streams. */
  readonly onChunk?: (chunk: AgentStreamChunk) => void;
}

/** Asks the agent in the session that belongs to the asker's. One without a store goes on from what it remembers by the asker's history. */
export async function askAgent(action: GenkitAction, asking: Asking): Promise<AgentOutputData> {
  const { call, onChunk } = asking;
  const input = inputOf(asking);
  const { name } = action.__action;
  if (call === undefined) return await runAction(action, input, { init: {} });
  const options: ActionOptions = {
    context: askedContext(call.context, name),
    call: { requestId: requestIdOf(call), onBusy: "queue", tenant: call.tenant },
    ...(onChunk && { onChunk: onChunk as (chunk: unknown) => void }),
  };
  const ask = (init: AgentInit): Promise<AgentOutputData> =>
    whileHeld(call.signal, remembersRequests(action), (abortSignal) =>
      runAction(action, input, { ...options, init, abortSignal }),
    );
  if (keepsState(action)) {
    const sessionId = `${call.session.sessionId}:${name}`;
    // Before it is used: the session is deleted along with the asker's.
    await call.turn.linkSession({ agent: name, sessionId });
    return await ask({ sessionId });
  }
  return await remembering(call, name, (state) => ask(state ? { state } : {}));
}

// A person's answers to the asked agent's own requests come with the word to go on.
function inputOf({ task, resumed }: Asking): AgentInput {
  return isResume(resumed)
    ? { resume: resumed }
    : { message: { role: "user", content: [{ text: task }] } };
}

/** @returns what the agent answers with. */
export async function runAction(
  action: GenkitAction,
  input: AgentInput,
  options: ActionOptions,
): Promise<AgentOutputData> {
  return (await action.run(input, options)).result as AgentOutputData;
}

// What the agents of one turn remember that is not in its history yet.
const memories = new WeakMap<TurnContext, Map<string, Promise<SessionState | undefined>>>();

// One after the other, each with what the one before left.
async function remembering(
  call: ToolCall,
  name: string,
  ask: (state: SessionState | undefined) => Promise<AgentOutputData>,
): Promise<AgentOutputData> {
  const ofTurn = memories.get(call.turn) ?? new Map<string, Promise<SessionState | undefined>>();
  memories.set(call.turn, ofTurn);
  const before = ofTurn.get(name) ?? Promise.resolve(findMemory(call.session.messages(), name));
  const asked = before.then(ask);
  const after = asked.then(
    async ({ state }) => state ?? (await before),
    () => before,
  );
  ofTurn.set(name, after);
  const output = await asked;
  if (output.state) remember(call, memoryOf(name, output.state));
  return output;
}

/**
 * Stops the work with the asker. Only an asker whose turn goes on elsewhere leaves it alone, if it outlives him: the same request finds it there.
 */
async function whileHeld<Result>(
  signal: AbortSignal,
  outlives: boolean,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  return await new Promise<Result>((resolve, reject) => {
    const pass = (): void => {
      if (outlives && isTaken(signal.reason)) reject(signal.reason as TurnkeepError);
      else stop.abort(signal.reason);
    };
    if (signal.aborted) pass();
    signal.addEventListener("abort", pass, { once: true });
    work(stop.signal)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", pass));
  });
}

function isTaken(reason: unknown): boolean {
  return TurnkeepError.is(reason) && reason.reason === "TURN_TAKEN";
}

export function keepsState({ __action: { metadata } }: GenkitAction): boolean {
  const agent = metadata?.["agent"] as { readonly stateManagement?: unknown } | undefined;
  return agent?.stateManagement === "server";
}

export function isResume(resumed: unknown): resumed is Resume {
  return (
    typeof resumed === "object" &&
    resumed !== null &&
    ("respond" in resumed || "restart" in resumed)
  );
}
