import type { CallContext, Json, Session, TurnContext } from "../agent/index.ts";

/** What a tool knows of the turn that called it. */
export interface ToolCall<Custom = Json> {
  readonly session: Session<Custom>;
  readonly turn: TurnContext;
  /** What the agent was told of its caller. */
  readonly context: CallContext;
  /** Whose session it is. */
  readonly tenant: string;
  /** Aborts when the turn must stop. */
  readonly signal: AbortSignal;
  /** The same each time this call is tried again, also by another process: for systems that recognise repeated requests. */
  readonly idempotencyKey: string;
}

// A symbol, so that it is in nobody's way and on no trace.
const TOOL_CALL: unique symbol = Symbol("turnkeep.toolCall");

/** The call that a tool was given with its second argument; `undefined` when no agent of ours called the tool. */
export function toolCall<Custom = Json>(options: object): ToolCall<Custom> | undefined {
  return (options as { readonly [TOOL_CALL]?: ToolCall<Custom> } | undefined)?.[TOOL_CALL];
}

/** The options with the call in them. */
export function withToolCall<Options extends object>(options: Options, call: ToolCall): Options {
  return { ...options, [TOOL_CALL]: call };
}
