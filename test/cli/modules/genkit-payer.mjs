// An agent on Genkit whose tool asks a person first.
import { genkit, ToolInterruptError, z } from "genkit";
import { defineAgent } from "turnkeep/genkit";
import { openSqliteStore } from "turnkeep/stores/sqlite";

const ai = genkit({});

ai.defineModel({ name: "payer", supports: { tools: true } }, async ({ messages }) => {
  const output = messages.at(-1)?.content[0]?.toolResponse?.output;
  const content =
    output === undefined
      ? [{ toolRequest: { name: "pay", ref: "1", input: {} } }]
      : [{ text: `The tool said ${JSON.stringify(output)}.` }];
  return { message: { role: "model", content }, finishReason: "stop" };
});

const pay = ai.defineTool(
  { name: "pay", description: "Pays.", inputSchema: z.object({}) },
  async (_, { resumed }) => {
    if (!resumed) throw new ToolInterruptError({ question: "Pay?" });
    return "paid";
  },
);

const store = await openSqliteStore("payer.db");

export const payer = defineAgent(ai, { name: "payer", model: "payer", tools: [pay], store });
