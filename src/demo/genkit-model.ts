import type { Genkit, GenkitOptions, MessageData } from "genkit";
import { type Message, parseMessage } from "../protocol/index.ts";
import type { Model, ToolShape } from "./model.ts";

/** What a plugin's own function makes. */
export type GenkitPlugin = NonNullable<GenkitOptions["plugins"]>[number];

/** A language model by Genkit, which is loaded here and not before. Only the model is Genkit's; the loop is the demo's own. */
export async function genkitModel(name: string, plugin: GenkitPlugin): Promise<Model> {
  const { genkit } = await import("genkit");
  const ai = genkit({ plugins: [plugin] });
  return {
    name,
    answer: async ({ system, messages, tools, signal, onText }) => {
      const { message, usage } = await ai.generate({
        model: name,
        system,
        // Genkit's types know nothing that is only read.
        messages: messages as unknown as MessageData[],
        tools: tools.map((tool) => toolOf(ai, tool)),
        returnToolRequests: true,
        abortSignal: signal,
        onChunk: ({ text }) => {
          if (text !== "") onText(text);
        },
      });
      return { message: plain(message?.toJSON()), usage: { ...usage } };
    },
  };
}

function toolOf(
  ai: Genkit,
  { name, description, input }: ToolShape,
): ReturnType<Genkit["dynamicTool"]> {
  return ai.dynamicTool({ name, description, inputJsonSchema: input as object }, async () => {});
}

// As JSON has it: plugins leave members that are undefined, and more.
function plain(message: unknown): Message {
  return parseMessage(JSON.parse(JSON.stringify(message ?? { role: "model", content: [] })));
}
