import { defineCustomAgent } from "turnkeep";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { z } from "zod";

const counter = defineCustomAgent(
  {
    name: "counter",
    state: z.object({ count: z.number() }), // any Standard Schema; the type is inferred
    initialState: { count: 0 },
    store: await openSqliteStore("counter.db"),
  },
  async ({ session, respond }) => {
    // Once for each input; its message is in the history already.
    await session.run(() => {
      // Streams a JSON patch by itself.
      session.updateCustom((draft) => {
        draft.count += 1;
      });
      const text = `That was number ${session.custom().count}.`;
      respond.text(text);
      session.addMessages({ role: "model", content: [{ text }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

const answer = await counter.runText("Hello", { sessionId: "user-42" });

const connection = counter.connect({ sessionId: "user-42" });
await connection.sendText("And again"); // durable when this resolves
for await (const chunk of connection.receive()) {
  if (chunk.turnEnd) break; // ends the loop, not the connection
}
const output = await connection.output();

for (const { text } of [answer, output]) console.log(text);
await counter.close();
