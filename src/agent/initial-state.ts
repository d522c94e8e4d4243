import { type Json, TurnkeepError } from "../protocol/index.ts";
import { plainCopy } from "./plain-copy.ts";
import { checkCustom, checkCustomNow, type StateSchema, tryValue } from "./state-schema.ts";

/** Makes the state that new sessions start with: the given one, or the schema's default. */
export class InitialStateSource {
  readonly #agent: string;
  readonly #schema: StateSchema<unknown> | undefined;
  readonly #given: unknown;

  /** @throws TurnkeepError INVALID_ARGUMENT when it is known already that there is none that fits. */
  constructor(agent: string, schema: StateSchema<unknown> | undefined, given: unknown) {
    this.#agent = agent;
    this.#schema = schema;
    // A copy: later changes to the object that was passed in reach no session.
    this.#given = typeof given === "function" ? given : given && plainCopy(given, "initialState");
    this.#checkNow();
  }

  /** Whether new sessions start with a state at all. */
  get exists(): boolean {
    return this.#given !== undefined || this.#schema !== undefined;
  }

  /** @throws TurnkeepError INVALID_ARGUMENT when there is none that fits. */
  async make(): Promise<Json | undefined> {
    if (this.#given === undefined) return await this.#makeDefault();
    const value = plainCopy(this.#givenValue(), "initialState") as Json;
    return (await checkCustom(this.#schema, value, this.#name)) as Json | undefined;
  }

  get #name(): string {
    return `initialState of agent '${this.#agent}'`;
  }

  #givenValue(): unknown {
    if (typeof this.#given !== "function") return this.#given;
    try {
      return (this.#given as () => unknown)();
    } catch (cause) {
      throw new TurnkeepError("INTERNAL", `${this.#name} failed.`, { cause });
    }
  }

  async #makeDefault(): Promise<Json | undefined> {
    if (this.#schema === undefined) return undefined;
    const fitting = (await tryValue(this.#schema, undefined)) ?? (await tryValue(this.#schema, {}));
    if (fitting === undefined) throw this.#missing();
    return fitting.value;
  }

  #checkNow(): void {
    const schema = this.#schema;
    if (schema === undefined || typeof this.#given === "function") return;
    if (this.#given !== undefined) return checkCustomNow(schema, this.#given as Json, this.#name);
    const fitting = tryValue(schema, undefined) ?? tryValue(schema, {});
    if (fitting === undefined) throw this.#missing();
    if (fitting instanceof Promise) fitting.catch(() => {});
  }

  #missing(): TurnkeepError {
    return new TurnkeepError(
      "INVALID_ARGUMENT",
      `Agent '${this.#agent}' has a state schema but no initial state: the schema accepts neither undefined nor {}. Provide 'initialState'.`,
      { details: { field: "initialState" } },
    );
  }
}
