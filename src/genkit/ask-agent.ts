import type { Genkit } from "genkit";
import type { AgentOutput, AnyLocalAgent, LocalAgent } from "../agent/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { askedContext } from "./asked-context.ts";
import { talkAction } from "./companion-actions.ts";
import type { ActionOptions, GenkitAction } from "./genkit-action.ts";
import type { ToolCall } from "./tool-call.ts";

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
}

/** Asks the agent in the session that belongs to the asker's. */
export async function askAgent(
  action: GenkitAction,
  { task, call, resumed }: Asking,
): Promise<AgentOutput> {
  // A person's answers to the asked agent's own requests come with the word to go on.
  const input = isResume(resumed)
    ? { resume: resumed }
    : { message: { role: "user", content: [{ text: task }] } };
  const run = async (options: ActionOptions): Promise<AgentOutput> =>
    (await action.run(input, options)).result as AgentOutput;
  if (call === undefined) return await run({ init: {} });
  const { name } = action.__action;
  const options: ActionOptions = {
    init: keepsState(action) ? { sessionId: `${call.session.sessionId}:${name}` } : {},
    context: askedContext(call.context, name),
    call: { requestId: call.idempotencyKey, onBusy: "queue", tenant: call.tenant },
  };
  return await whileHeld(call.signal, remembersRequests(action), (abortSignal) =>
    run({ ...options, abortSignal }),
  );
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

function keepsState({ __action: { metadata } }: GenkitAction): boolean {
  const agent = metadata?.["agent"] as { readonly stateManagement?: unknown } | undefined;
  return agent?.stateManagement === "server";
}

function isResume(resumed: unknown): resumed is { respond?: unknown; restart?: unknown } {
  return (
    typeof resumed === "object" &&
    resumed !== null &&
    ("respond" in resumed || "restart" in resumed)
  );
}
