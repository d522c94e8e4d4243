import { setTimeout } from "node:timers/promises";
import { currentSession, defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

interface Notebook {
  notes: string[];
}

// A tool reaches the session it works for without being handed it, however deep it is called.
async function noteTool(text: string): Promise<number> {
  await setTimeout(10);
  const session = currentSession<Notebook>();
  if (session === undefined) throw new Error("This tool works only inside a run.");
  session.updateCustom((draft) => {
    draft.notes.push(text);
  });
  session.addArtifacts({ name: `note-${session.custom()?.notes.length}.txt`, parts: [{ text }] });
  return session.custom()?.notes.length ?? 0;
}

const secretary = defineCustomAgent<Notebook>(
  { name: "secretary", store: new MemoryStore(), initialState: { notes: [] } },
  async ({ session }) => {
    await session.run(async ({ message }) => {
      const count = await noteTool(message?.content[0]?.text ?? "");
      session.addMessages({ role: "model", content: [{ text: `Note ${count} is taken.` }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

// Two sessions at the same time: each tool finds its own.
await Promise.all([
  secretary.runText("Buy tea", { sessionId: "ada" }),
  secretary.runText("Call home", { sessionId: "bo" }),
]);
await secretary.runText("Buy lemons", { sessionId: "ada" });
for (const sessionId of ["ada", "bo"]) {
  const { state } = await secretary.getLatestSnapshot(sessionId);
  const names = state?.artifacts?.map(({ name }) => name).join(", ");
  console.log(`${sessionId}: ${state?.custom?.notes.join(", ")} (${names})`);
}
console.log("outside of a run:", currentSession());
