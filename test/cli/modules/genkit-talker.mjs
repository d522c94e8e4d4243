// An agent on Genkit, in a program that sets up no telemetry.
import { genkit, z } from "genkit";
import { defineAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";

const ai = genkit({});

ai.defineModel({ name: "parrot", supports: { tools: true } }, async ({ messages }) => {
  const isAnswered = messages.at(-1)?.role === "tool";
  const content = isAnswered
    ? [{ text: "It is noon." }]
    : [{ toolRequest: { name: "clock", ref: "1", input: {} } }];
  return { message: { role: "model", content }, finishReason: "stop" };
});

const clock = ai.defineTool(
  { name: "clock", description: "The time.", inputSchema: z.object({}) },
  async () => "12:00",
);

export const talker = defineAgent(ai, {
  name: "talker",
  model: "parrot",
  tools: [clock],
  store: new MemoryStore(),
});
