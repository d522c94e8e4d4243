import type { Action, Genkit, ToolArgument } from "genkit";
import { toJsonSchema } from "genkit/schema";
import type { ToolDescription } from "../agent/index.ts";
import { type JsonObject, TurnkeepError } from "../protocol/index.ts";
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

  /** What is known of the tools, as far as Genkit knows them by now. */
  async describe(tools: readonly ToolArgument[]): Promise<readonly ToolDescription[]> {
    const found = await Promise.all(
      tools.map(async (tool) => {
        if (typeof tool === "string") return await this.#find(tool);
        return isAction(tool) ? (tool as Action) : undefined;
      }),
    );
    return found.flatMap((tool) => (tool ? [descriptionOf(tool)] : []));
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

function descriptionOf({ __action: action }: Action): ToolDescription {
  const { name, description, inputSchema, inputJsonSchema, outputSchema, outputJsonSchema } =
    action;
  const input = schemaOf(inputSchema, inputJsonSchema);
  const output = schemaOf(outputSchema, outputJsonSchema);
  return {
    name: name.slice(name.lastIndexOf("/") + 1),
    ...(description !== undefined && { description }),
    ...(input && { inputSchema: input }),
    ...(output && { outputSchema: output }),
  };
}

function schemaOf(schema: unknown, jsonSchema: unknown): JsonObject | undefined {
  if (!schema && !jsonSchema) return undefined;
  const described = toJsonSchema({ schema: schema as never, jsonSchema: jsonSchema as never });
  // A copy, since libraries hang functions and links to the schema on it.
  return described && (JSON.parse(JSON.stringify(described)) as JsonObject);
}
