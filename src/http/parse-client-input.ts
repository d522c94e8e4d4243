import { type AgentInput, parseAgentInput, TurnkeepError } from "../protocol/index.ts";

/**
 * An input as a client may send it: no client speaks for the model, a tool or the system.
 *
 * @throws TurnkeepError INVALID_ARGUMENT.
 */
export function parseClientInput(value: unknown): AgentInput {
  if (value === undefined) {
    throw new TurnkeepError("INVALID_ARGUMENT", "'input' is missing. Send {} to retry a turn.");
  }
  const input = parseAgentInput(value);
  if (input.message && input.message.role !== "user") {
    throw new TurnkeepError("INVALID_ARGUMENT", "A client sends messages of the role 'user' only.");
  }
  return input;
}
