import type { Genkit, ModelArgument } from "genkit";
import { TurnkeepError } from "../protocol/index.ts";

/** The model an agent asks, if it is known: `{}` stands for Genkit's default. */
export interface KnownModel {
  readonly model?: ModelArgument | undefined;
}

/** Refuses inputs as long as Genkit does not know the agent's model. Once it was found it is not looked for again. */
export class ModelCheck {
  readonly #ai: Genkit;
  readonly #agent: string;
  readonly #known: () => KnownModel | undefined;
  #isFound = false;

  constructor(ai: Genkit, agent: string, known: () => KnownModel | undefined) {
    this.#ai = ai;
    this.#agent = agent;
    this.#known = known;
  }

  /** @throws TurnkeepError INTERNAL that names the model and says what to do. */
  run(): Promise<void> | undefined {
    const known = this.#isFound ? undefined : this.#known();
    return known && this.#look(known);
  }

  async #look({ model }: KnownModel): Promise<void> {
    const { registry } = this.#ai;
    const asked =
      model ?? (await registry.lookupValue<ModelArgument>("defaultModel", "defaultModel"));
    if (asked === undefined) throw missing(`Agent '${this.#agent}' has no model.`);
    // Stays unset for an action that was passed in: that needs no registry.
    const name = typeof asked === "string" ? asked : "__action" in asked ? undefined : asked.name;
    if (name !== undefined && !(await this.#has(name))) {
      throw missing(`Genkit does not know the model '${name}' of agent '${this.#agent}'.`);
    }
    this.#isFound = true;
  }

  async #has(name: string): Promise<boolean> {
    const { registry } = this.#ai;
    const keys = [`/model/${name}`, `/background-model/${name}`] as const;
    try {
      return Boolean(
        (await registry.lookupAction(keys[0])) ?? (await registry.lookupAction(keys[1])),
      );
    } catch {
      // A plugin that cannot start says itself why, when the model is asked.
      return true;
    }
  }
}

// A fault of the server's: clients are not told what it runs on.
function missing(what: string): TurnkeepError {
  return new TurnkeepError(
    "INTERNAL",
    `${what} Pass 'model' to the agent or to genkit(), and the model's plugin in genkit({ plugins: [...] }).`,
  );
}
