import type { Action, Genkit, ToolArgument } from "genkit";
import { TurnkeepError } from "../protocol/index.ts";
import { isLostOnGenkit } from "./json-schema.ts";

const KINDS = ["tool", "tool.v2", "prompt"] as const;

/** The tools of an agent by the names that models know them by. */
export class ToolBook {
  readonly #ai: Genkit;
  readonly #known = new Map<string, Action | undefined>();

  constructor(ai: Genkit) {
    this.#ai = ai;
  }

  /** @throws TurnkeepError INVALID_ARGUMENT for a tool whose schema Genkit would not understand. */
  learn(tools: readonly ToolArgument[] = []): void {
    for (const tool of tools) if (isAction(tool)) this.#add(tool.__action.name, tool);
  }

  /** Whether its author says that running the tool twice with one key does no harm: `metadata: { idempotent: true }`, or a function that says so. */
  async isIdempotent(name: string): Promise<boolean> {
    const tool = await this.#find(name);
    const said: unknown = tool?.__action.metadata?.["idempotent"];
    return (typeof said === "function" ? await said() : said) === true;
  }

  async #find(name: string): Promise<Action | undefined> {
    if (!this.#known.has(name)) this.#add(name, await this.#lookUp(name));
    return this.#known.get(name);
  }

  async #lookUp(name: string): Promise<Action | undefined> {
    for (const kind of KINDS) {
      const action = await this.#ai.registry.lookupAction(`/${kind}/${name}`);
      if (action) return action;
    }
    return undefined;
  }

  #add(name: string, tool: Action | undefined): void {
    if (tool) checkSchemas(tool);
    this.#known.set(name.slice(name.lastIndexOf("/") + 1), tool);
  }
}

function isAction(tool: ToolArgument): tool is Extract<ToolArgument, Action> {
  return typeof tool === "function" && "__action" in tool;
}

function checkSchemas({ __action: { name, inputSchema, outputSchema } }: Action): void {
  if (!isLostOnGenkit(inputSchema) && !isLostOnGenkit(outputSchema)) return;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    `The schemas of tool '${name}' are not of zod 3, and Genkit would take any input for right. Use 'z' from "genkit", or give 'inputJsonSchema' and 'outputJsonSchema'.`,
  );
}
