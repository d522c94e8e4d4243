import type { AgentInput } from "../protocol/index.ts";
import type { TurnContext, TurnHandler, TurnResult } from "./agent-function.ts";

/** What a handler makes of an input, which was checked when it came in. A handler need not be asynchronous. */
export function handled(
  handler: TurnHandler,
  input: AgentInput,
  context: TurnContext,
): Promise<TurnResult | void> {
  try {
    return Promise.resolve(handler(input, context));
  } catch (error) {
    return Promise.reject(error);
  }
}
