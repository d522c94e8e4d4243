import { validateSchema } from "genkit/schema";
import { type Json, type JsonObject, TurnkeepError } from "../protocol/index.ts";

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
