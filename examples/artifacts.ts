import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

// Things an agent makes: kept in the session, streamed as they come, replaced by name.
const writer = defineCustomAgent(
  { name: "writer", store: new MemoryStore() },
  async ({ session, respond }) => {
    await session.run(({ message }) => {
      const topic = message?.content[0]?.text ?? "";
      respond.artifact({ name: "draft.md", parts: [{ text: `# ${topic}` }] });
      // The same name again: it takes the other one's place.
      respond.artifact({ name: "draft.md", parts: [{ text: `# ${topic}, second thoughts` }] });
      respond.artifact({
        name: `words-${topic.length}.json`,
        parts: [{ data: { length: topic.length } }],
        metadata: { kind: "statistics" },
      });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

const { chunks, output } = writer.streamText("Tea", { sessionId: "desk" });
for await (const { artifact } of chunks) {
  if (artifact) console.log("streamed", artifact.name, JSON.stringify(artifact.parts[0]));
}
console.log("answered with", (await output).artifacts?.map(({ name }) => name).join(", "));

await writer.runText("Lemons", { sessionId: "desk" });
const { state } = await writer.getLatestSnapshot("desk");
for (const { name, parts } of state?.artifacts ?? []) {
  console.log("kept", name, JSON.stringify(parts[0]));
}
