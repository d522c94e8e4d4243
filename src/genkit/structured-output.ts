import { type Genkit, Message as GenkitMessage } from "genkit";
import type { Json, Message } from "../agent/index.ts";

/** How the answers of an agent are to be read. */
export interface OutputFormat {
  readonly format?: string;
  readonly jsonSchema?: object;
}

/** Reads what a message says in the agent's own format; `undefined` where there is none, or the message is no answer. */
export function readOutput(
  ai: Genkit,
  output: OutputFormat | undefined,
  message: Message,
): Promise<Json | undefined> | undefined {
  const isAnswer =
    message.role === "model" && !message.content.some(({ toolRequest }) => toolRequest);
  const { jsonSchema, format = jsonSchema && "json" } = output ?? {};
  return isAnswer && format !== undefined ? readAs(ai, { jsonSchema, format }, message) : undefined;
}

async function readAs(
  ai: Genkit,
  { jsonSchema, format }: { readonly jsonSchema: object | undefined; readonly format: string },
  message: Message,
): Promise<Json | undefined> {
  const formatter = await ai.registry.lookupValue<Formatter>("format", format);
  try {
    const said = formatter?.handler(jsonSchema).parseMessage(new GenkitMessage(message as never));
    return (said ?? undefined) as Json | undefined;
  } catch {
    // A failed turn may leave a message that says nothing in that format.
    return undefined;
  }
}

interface Formatter {
  readonly handler: (schema: object | undefined) => {
    readonly parseMessage: (message: GenkitMessage) => unknown;
  };
}
