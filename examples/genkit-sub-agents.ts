import { genkit } from "genkit";
import { defineAgent, defineCustomAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { scriptedModel } from "./genkit/scripted-model.ts";

// An agent that asks two others. To its model they are tools; each works in a session of its own, and what they make becomes an
// artifact of the session that asked.
const ai = genkit({});
const store = new MemoryStore();

const poet = defineAgent(ai, {
  name: "poet",
  description: "Writes a line of verse.",
  // None of these models is real: each is a function that answers.
  model: scriptedModel(ai, ({ text }) => `O ${text}, how I wait for thee`, "poet-model"),
  system: "Write one line of verse.",
  store,
});

// Any agent can be asked, also one without a prompt.
const painter = defineCustomAgent(
  ai,
  { name: "painter", description: "Paints a picture.", store },
  async ({ session, respond }) => {
    await session.run(({ message }) => {
      const subject = message?.content[0]?.text ?? "";
      respond.artifact({ name: `${subject}.svg`, parts: [{ text: `<svg>${subject}</svg>` }] });
      session.addMessages({ role: "model", content: [{ text: "Painted." }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

const editor = defineAgent(ai, {
  name: "editor",
  // It first asks the poet, then the painter, then puts together what it got.
  model: scriptedModel(
    ai,
    ({ text, results: [result] }) => {
      if (result === undefined) return { tool: "poet", input: { task: text } };
      const { answer, artifacts } = result as { answer: string; artifacts?: string[] };
      if (artifacts) return `The page is ready, with ${artifacts.join(" and ")}.`;
      console.log("poet:", answer);
      return { tool: "painter", input: { task: text } };
    },
    "editor-model",
  ),
  system: "Make a page of a poem and a picture.",
  agents: [poet, painter],
  store,
});

const { message, artifacts } = await editor.runText("tea", { sessionId: "page" });
console.log("editor:", message?.content[0]?.text);
for (const { name, parts } of artifacts ?? []) console.log("artifact:", name, parts[0]?.text);

// The others' sessions are named after the one who asked: they remember what they did for it.
for (const agent of [poet, painter]) {
  const { sessions } = await agent.listSessions();
  for (const { sessionId, messageCount } of sessions) {
    console.log(`${agent.name} keeps ${sessionId}: ${messageCount} messages`);
  }
}
