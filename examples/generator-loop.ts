import { defineGeneratorAgent, type Message } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

// Another way to write an agent: one loop over the messages of a run. What it returns is kept.
const rhymer = defineGeneratorAgent(
  { name: "rhymer", store: new MemoryStore() },
  async function* ({ inputStream, init, sendChunk }) {
    // What the session held at the start: from the store, or from the client if there is none.
    const messages: Message[] = [...init.messages];
    for await (const message of inputStream) {
      const text = `${message.content[0]?.text}, ${messages.length === 0 ? "you see" : "with tea"}`;
      sendChunk({ chunk: { content: [{ text }] } });
      messages.push(message, { role: "model", content: [{ text }] });
      // A chunk can be yielded as well.
      yield { status: { lines: messages.length } };
    }
    return { messages };
  },
);

const { chunks, output } = rhymer.streamText("Come and sit with me", { sessionId: "poem" });
for await (const { modelChunk, status } of chunks) {
  if (modelChunk) console.log("chunk:", modelChunk.content[0]?.text);
  if (status !== undefined) console.log("status:", JSON.stringify(status));
}
console.log("finished:", (await output).finishReason);

const second = await rhymer.runText("Under the tree", { sessionId: "poem" });
console.log(second.message?.content[0]?.text);
const { state } = await rhymer.getLatestSnapshot("poem");
console.log(state?.messages?.length, "messages kept");
