// Plain JavaScript on the built package: runtimes without a loader of ours run it as it is.
import { currentSession, defineCustomAgent } from "../../dist/agent/index.js";
import { createHandler } from "../../dist/http/index.js";
import { MemoryStore } from "../../dist/stores/memory/index.js";

/** Says each word by itself and counts the turns, by way of the session that belongs to the code that runs. */
const countingAgent = defineCustomAgent(
  { name: "counting", store: new MemoryStore() },
  async ({ session, respond }) => {
    await session.run(async (input) => {
      const text = input.message.content.map((part) => part.text).join("");
      for (const word of text.split(" ")) {
        respond.text(`${word} `);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      currentSession().updateCustom((custom) => ({ turns: (custom?.turns ?? 0) + 1 }));
      session.addMessages({ role: "model", content: [{ text: text.toUpperCase() }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

export const handler = createHandler([countingAgent], { auth: "public" });
