import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

// One connection, several turns. Breaking out of the loop ends the loop, not the connection.
const counter = defineCustomAgent(
  { name: "counter", store: new MemoryStore() },
  async ({ session, respond }) => {
    await session.run(({ message }) => {
      const words = (message?.content[0]?.text ?? "").split(" ");
      respond.status({ words: words.length });
      for (const word of words) respond.text(word.toUpperCase());
      session.addMessages({ role: "model", content: [{ text: words.join(" ").toUpperCase() }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

const connection = counter.connect({ sessionId: "talk" });
for (const text of ["one two three", "four five"]) {
  // Resolves when the input is in the store.
  await connection.sendText(text);
  for await (const { status, modelChunk, turnEnd } of connection.receive()) {
    if (status !== undefined) console.log("status", JSON.stringify(status));
    if (modelChunk) console.log("chunk", modelChunk.content[0]?.text);
    if (turnEnd) console.log("turn ended:", turnEnd.finishReason);
    if (turnEnd) break;
  }
}

// Says that no more will come, waits for the end, and says the same each time it is asked.
const output = await connection.output();
console.log("output:", output.message?.content[0]?.text);

// For a single turn there is a shorter way.
const { chunks, output: ending } = counter.streamText("six", { sessionId: "talk" });
for await (const { modelChunk } of chunks) {
  if (modelChunk) console.log("chunk", modelChunk.content[0]?.text);
}
console.log("finished:", (await ending).finishReason);
