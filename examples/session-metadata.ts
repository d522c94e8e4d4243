import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

// Sessions carry notes of the application's own, and are found by them.
const desk = defineCustomAgent({ name: "desk", store: new MemoryStore() }, async ({ session }) => {
  await session.run(() => {
    session.addMessages({ role: "model", content: [{ text: "We look into it." }] });
    return { finishReason: "stop" };
  });
  return session.result();
});

await desk.runText("Where is my parcel?", { sessionId: "b-1", metadata: { userId: "bo" } });

await desk.runText("My kettle is cold.", { sessionId: "a-1", metadata: { userId: "ada" } });
await desk.label("a-1", { about: { title: "Kettle", metadata: { priority: 2 } } });

const { sessions } = await desk.listSessions({ metadata: { userId: "ada" } });
for (const { sessionId, title, metadata } of sessions) {
  console.log(`${sessionId}: ${title}, ${JSON.stringify(metadata)}`);
}
await desk.close();
