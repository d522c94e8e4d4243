import {
  type CallContext,
  hashText,
  type Json,
  type Responder,
  type Session,
  type TurnContext,
} from "../agent/index.ts";
import { callOfTurn } from "./current-tool-call.ts";
import type { SubAgentMemory } from "./sub-agent-memory.ts";

/** What a tool knows of the turn that called it. */
export interface ToolCall<Custom = Json, Status = Json> {
  readonly session: Session<Custom>;
  readonly turn: TurnContext;
  /**
   * Writes to the stream of the turn while the tool works: status updates, artifacts, text.
   *
   * @example
   * toolCall(options)?.respond.status("Looking at page 3 of 12");
   */
  readonly respond: Responder<Status>;
  /** What the agent was told of its caller. */
  readonly context: CallContext;
  /** Whose session it is. */
  readonly tenant: string;
  /** Aborts when the turn must stop. */
  readonly signal: AbortSignal;
  /**
   * The same each time this call is tried again, also by another process: for systems that recognise repeated requests. A call that a person approved has the same key
   * wherever the approval is given, in any branch or fork.
   */
  readonly idempotencyKey: string;
}

// A symbol, so that it is in nobody's way and on no trace.
const TOOL_CALL: unique symbol = Symbol("turnkeep.toolCall");

/**
 * The call that a tool was given with its second argument; `undefined` when no agent of ours called the tool. Under `ai.generate` in a custom agent it is
 * there too; with `journalTools()` in `use`, such calls are journaled like those of prompt agents.
 *
 * @example
 * const { idempotencyKey, signal } = toolCall(options)!;
 */
export function toolCall<Custom = Json, Status = Json>(
  options: object,
): ToolCall<Custom, Status> | undefined {
  const given = (options as { readonly [TOOL_CALL]?: ToolCall } | undefined)?.[TOOL_CALL];
  return (given ?? callOfTurn(options)) as ToolCall<Custom, Status> | undefined;
}

/** Names the call for an agent that it asks. Unlike the key it is another one in each turn: an answer that failed may be given again. */
export function requestIdOf({ turn, idempotencyKey }: ToolCall): string {
  const { questionId, snapshotId } = turn;
  return questionId === undefined
    ? idempotencyKey
    : hashText(JSON.stringify([snapshotId ?? null, idempotencyKey]));
}

/** The options with the call in them. */
export function withToolCall<Options extends object>(options: Options, call: ToolCall): Options {
  return { ...options, [TOOL_CALL]: call };
}

// What an asked agent remembers is kept beside the tool's answer; tools of others have nothing to do with it.
const REMEMBER: unique symbol = Symbol("turnkeep.remember");

type Remembering = { readonly [REMEMBER]?: (memory: SubAgentMemory) => void };

/** The call with a place for what an asked agent remembers. */
export function withRemembering<Call extends object>(
  call: Call,
  keep: (memory: SubAgentMemory) => void,
): Call {
  return { ...call, [REMEMBER]: keep };
}

/** Keeps what an asked agent remembers with the answer of the tool that asked it. */
export function remember(call: ToolCall | undefined, memory: SubAgentMemory | undefined): void {
  if (memory) (call as Remembering | undefined)?.[REMEMBER]?.(memory);
}
