import { setTimeout } from "node:timers/promises";
import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

// A reader goes away in mid-stream and comes back: it sees each event once, in order. The run never noticed.
const narrator = defineCustomAgent(
  { name: "narrator", store: new MemoryStore() },
  async ({ session, respond }) => {
    await session.run(async (_, { signal }) => {
      for (let word = 1; word <= 6; word += 1) {
        respond.text(`word ${word}`);
        await setTimeout(30, undefined, { signal });
      }
      session.addMessages({ role: "model", content: [{ text: "six words" }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

const connection = narrator.connect({ sessionId: "story" });
await connection.sendText("Begin");
let lastSeq = 0;
for await (const { seq, chunk } of connection.events()) {
  console.log("first reader", seq, chunk?.modelChunk?.content[0]?.text);
  lastSeq = seq;
  // Here the browser is closed. All it has to remember is the run and the number.
  if (seq === 2) break;
}
connection.close();
await setTimeout(100);

for await (const { seq, type, chunk } of narrator.attach(connection.runId, { after: lastSeq })) {
  console.log("second reader", seq, chunk?.modelChunk?.content[0]?.text ?? type);
}

// A run that is over can be read again from the start.
const types: string[] = [];
for await (const { type } of narrator.attach(connection.runId)) types.push(type);
console.log("all of it:", types.join(" "));
