import { InMemorySessionStore } from "genkit/beta";
import { defineGeneratorAgent } from "turnkeep";
import { fromSessionStore, type PlainSessionData } from "turnkeep/stores/session-store";

// Stands for a table of your own, with a conversation that another program has begun.
const table = new Map<string, string>();
const begun: PlainSessionData = {
  threads: { main: [{ role: "user", content: [{ text: "Is anybody there?" }] }] },
};
table.set("ada", JSON.stringify(begun));

const store = fromSessionStore({
  get: async (sessionId) => {
    const text = table.get(sessionId);
    return text === undefined ? undefined : (JSON.parse(text) as PlainSessionData);
  },
  save: async (sessionId, data) => void table.set(sessionId, JSON.stringify(data)),
  // Both may be left out.
  list: async () => [...table.keys()],
  delete: async (sessionId) => table.delete(sessionId),
});

// A session store of Genkit's goes in as it is.
const ofGenkit = fromSessionStore(new InMemorySessionStore());

for (const kept of [store, ofGenkit]) {
  const agent = defineGeneratorAgent({ name: "host", store: kept }, async function* (loop) {
    const heard = loop.init.messages.length;
    for await (const _ of loop.inputStream) {
      yield { chunk: { content: [{ text: `Welcome. There are ${heard} messages before.` }] } };
    }
  });
  const { message } = await agent.runText("Hello", { sessionId: "ada" });
  console.log(message?.content[0]?.text);
  await agent.close();
}

const { threads } = JSON.parse(table.get("ada") ?? "{}") as PlainSessionData;
console.log("in the table:", threads?.["main"]?.length, "messages");
