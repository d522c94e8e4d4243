import type { AgentInput } from "../protocol/index.ts";

/** The input of a turn: a message of the user. */
export function textInput(text: string): AgentInput {
  return { message: { role: "user", content: [{ text }] } };
}
