import { TurnkeepError } from "../protocol/index.ts";
import type { ContentChange } from "./content-change.ts";

/** @throws TurnkeepError RESOURCE_EXHAUSTED when the content would be longer than it may. */
export function checkSize({ size }: ContentChange, mostCharacters: number): void {
  const { messages, artifacts, custom, customPatches, promptInput } = size;
  const characters = messages + artifacts + custom + customPatches + promptInput;
  if (characters > mostCharacters) throw stateTooLarge(mostCharacters);
}

export function stateTooLarge(mostCharacters: number): TurnkeepError {
  return new TurnkeepError(
    "RESOURCE_EXHAUSTED",
    `The state would be longer than ${mostCharacters} characters of JSON. Trim the history, or keep large things outside.`,
    { reason: "LIMIT_EXCEEDED", details: { limit: mostCharacters } },
  );
}
