import { validateSchema } from "genkit/schema";
import { type AgentInput, type Json, type JsonObject, TurnkeepError } from "../protocol/index.ts";

/**
 * Refuses what a prompt cannot be filled with.
 *
 * @throws TurnkeepError INVALID_ARGUMENT naming the places and no values.
 */
export function checkPromptInput(input: Json, schema: JsonObject | undefined, where: string): void {
  if (schema === undefined) return;
  const result = validateSchema(input, { jsonSchema: schema });
  if (result.valid) return;
  const errors = (result.errors ?? []).map(({ path, message }) => `${path} ${message}`);
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    `${where} does not fit the prompt's schema: ${errors.join("; ")}.`,
  );
}

/** What a client may send to an agent that is a prompt: words of the user's, or answers to requests; never those of a model or tool. */
export function checkInput(input: AgentInput, schema: JsonObject | undefined): void {
  const { message, resume, promptInput } = input;
  if (promptInput !== undefined) checkPromptInput(promptInput, schema, "The prompt input");
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
