import type { CallContext } from "../agent/index.ts";
import { TurnkeepError } from "../protocol/index.ts";

// A symbol, so that it is in nobody's way and on no trace.
const ASKED: unique symbol = Symbol("turnkeep.asked");

const MOST_ASKED = 8;

/**
 * What an agent that is asked by another is told of the call: what the other was told, and who was asked so far.
 *
 * @throws TurnkeepError RESOURCE_EXHAUSTED when agents ask each other, or themselves, without end.
 */
export function askedContext(context: CallContext, name: string): CallContext {
  const before = (context as { readonly [ASKED]?: readonly string[] })[ASKED] ?? [];
  const asked = [...before, name];
  if (asked.length > MOST_ASKED) {
    throw new TurnkeepError(
      "RESOURCE_EXHAUSTED",
      `Agents ask each other more than ${MOST_ASKED} deep: ${asked.join(" > ")}.`,
      { reason: "LIMIT_EXCEEDED", details: { limit: MOST_ASKED } },
    );
  }
  return { ...context, [ASKED]: asked };
}
