import { type AgentInput, TurnkeepError } from "../protocol/index.ts";
import type { PromptFilling } from "./prompt-filling.ts";

/** What a client may send to an agent that is a prompt: words of the user's, or answers to requests; never those of a model or tool. */
export function checkInput(input: AgentInput, filling: PromptFilling): void {
  const { message, resume, promptInput } = input;
  if (promptInput !== undefined) filling.check(promptInput, "The prompt input");
  if (message && resume) throw refused("An input has a 'message' or a 'resume', not both.");
  if (message && message.role !== "user")
    throw refused("A message to an agent has the role 'user'.");
  if (message?.content.some(({ toolRequest, toolResponse }) => toolRequest ?? toolResponse)) {
    throw refused(
      "A message to an agent holds no tool requests or responses. Use 'resume' to answer one.",
    );
  }
}

function refused(message: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", message);
}
