import { genkit, z } from "genkit";
import { runFlow } from "genkit/beta/client";
import { defineCustomAgent } from "turnkeep";
import { remoteAgent } from "turnkeep/client";
import { agentsOf, createFlowHandler, defineAgent, registerAgent } from "turnkeep/genkit";
import { serve } from "turnkeep/node";
import { MemoryStore } from "turnkeep/stores/memory";
import { scriptedModel } from "./genkit/scripted-model.ts";

// Everything that a Genkit knows, behind HTTP: its agents, an agent that was defined without it, and its flows.
const ai = genkit({});
const store = new MemoryStore();

defineAgent(ai, {
  name: "parrot",
  model: scriptedModel(ai, ({ text }) => text.toUpperCase()),
  store,
});

const counter = defineCustomAgent<{ count: number }>({ name: "counter", store }, async (agent) => {
  const { session } = agent;
  await session.run(() => {
    const count = (session.custom()?.count ?? 0) + 1;
    session.setCustom({ count });
    session.addMessages({ role: "model", content: [{ text: `That was number ${count}.` }] });
  });
  return session.result();
});
registerAgent(ai, counter);

ai.defineFlow(
  { name: "shout", inputSchema: z.string(), outputSchema: z.string() },
  async (text) => `${text.toUpperCase()}!`,
);

const auth = "public"; // or a function that tells who calls
const flows = createFlowHandler(ai, { auth });
const server = await serve(agentsOf(ai), { auth, beside: [flows] });
console.log([...agentsOf(ai)].map(({ name }) => name).join(", "));

for (const name of ["parrot", "counter"]) {
  const agent = remoteAgent({ url: `${server.url}/agents/${name}` });
  const { message } = await agent.runText("hello", { sessionId: "ada" });
  console.log(`${name}: ${message?.content[0]?.text}`);
}
console.log("shout:", await runFlow({ url: `${server.url}/flows/shout`, input: "hello" }));
await server.close();
