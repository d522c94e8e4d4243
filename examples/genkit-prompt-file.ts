import { join } from "node:path";
import { genkit } from "genkit";
import { definePromptAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { scriptedModel } from "./genkit/scripted-model.ts";

// One prompt in a file (genkit/prompts/guide.prompt) makes two agents, each with an input of its own. A session may bring another
// input along when it starts, and keeps it.
const ai = genkit({ promptDir: join(import.meta.dirname, "genkit/prompts") });

// The file names its model. This one is not real: it only says what it was told to be.
scriptedModel(ai, ({ system }) => `I was told: ${system}`);

const store = new MemoryStore();
const rome = await definePromptAgent(ai, {
  name: "rome",
  prompt: "guide",
  // The file has a default for the tone.
  input: { city: "Rome" },
  store,
});
const oslo = await definePromptAgent(ai, {
  name: "oslo",
  prompt: "guide",
  input: { city: "Oslo", tone: "dry" },
  store,
});

for (const agent of [rome, oslo]) {
  const { message } = await agent.runText("Hello");
  console.log(`${agent.name}: ${message?.content[0]?.text}`);
}

const promptInput = { city: "Ostia", tone: "solemn" };
await rome.runText("Hello", { sessionId: "ada", promptInput });
const { message } = await rome.runText("And now?", { sessionId: "ada" });
console.log(`ada: ${message?.content[0]?.text}`);

// An input that does not fit the file's schema is refused, at definition too.
const misfit = JSON.parse('{ "city": 7, "tone": "solemn" }');
await rome
  .runText("Hello", { promptInput: misfit })
  .catch((error: Error) => console.log("refused:", error.message));
