import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

// Defines an agent, talks to it, and goes on with the same conversation by its id.
const parrot = defineCustomAgent(
  { name: "parrot", store: new MemoryStore() },
  async ({ session }) => {
    // Called once for each input; the input's message is in the history by then.
    await session.run(({ message }) => {
      const heard = message?.content[0]?.text ?? "";
      const turn = session.messages().filter(({ role }) => role === "user").length;
      session.addMessages({ role: "model", content: [{ text: `${turn}: ${heard}!` }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

const first = await parrot.runText("Hello");
console.log(first.text);

// Any text that is not blank may be a session id; without one the agent chose one.
const { sessionId } = first;
const second = await parrot.runText("Hello again", { sessionId });
console.log(second.text);

// Every turn ended in a snapshot.
for (const { snapshotId, status, finishReason } of await parrot.listSnapshots(sessionId)) {
  const { state } = await parrot.getSnapshot(snapshotId);
  console.log(status, finishReason, `${state?.messages?.length} messages`);
}
