import type { Json, JsonObject } from "../protocol/index.ts";
import { checkPromptInput } from "./check-prompt-input.ts";

export interface PromptFillingOptions {
  readonly schema?: JsonObject;
  /** What the prompt itself says for fields that nobody fills. */
  readonly defaults?: JsonObject;
  /** What the agent says, where the session does not. */
  readonly own?: Json;
}

/** What a prompt is filled with: by the session, else by the agent, and by the prompt itself where those leave something out. */
export class PromptFilling {
  readonly own: Json | undefined;
  readonly #schema: JsonObject | undefined;
  readonly #defaults: JsonObject | undefined;

  constructor({ schema, defaults, own }: PromptFillingOptions) {
    this.own = own;
    this.#schema = schema;
    this.#defaults = defaults;
  }

  /** @throws TurnkeepError INVALID_ARGUMENT when the prompt cannot be filled so. */
  check(input: Json, where: string): void {
    checkPromptInput(this.complete(input), this.#schema, where);
  }

  /** What a session is filled with that brings nothing; `undefined` when each has to bring something. */
  get unfilled(): Json | undefined {
    const input = this.complete(undefined);
    try {
      checkPromptInput(input, this.#schema, "");
      return input;
    } catch {
      return undefined;
    }
  }

  complete(input: Json | undefined): Json {
    const given = input ?? this.own ?? {};
    const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
    return this.#defaults && isObject ? { ...this.#defaults, ...(given as JsonObject) } : given;
  }
}
