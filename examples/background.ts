import { setTimeout } from "node:timers/promises";
import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

// A turn that nobody waits for: let go of it, look at it, wait for it, or stop it.
const researcher = defineCustomAgent(
  { name: "researcher", store: new MemoryStore() },
  async ({ session }) => {
    await session.run(async ({ message }, { signal }) => {
      const topic = message?.content[0]?.text ?? "";
      const days = topic === "everything" ? 365 : 3;
      // The signal tells whatever takes long that the run was aborted.
      for (let day = 0; day < days; day += 1) await setTimeout(50, undefined, { signal });
      session.addMessages({ role: "model", content: [{ text: `All about ${topic}.` }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

function say(text: string): { readonly message: { role: "user"; content: { text: string }[] } } {
  return { message: { role: "user", content: [{ text }] } };
}

// Resolves when the input is in the store; its snapshot has an id already.
const tea = await researcher.detach(say("tea"), { sessionId: "tea" });
console.log("tea is", (await researcher.getSnapshot(tea.snapshotId)).status);

// Anybody who knows the id can wait for it, in another process too.
const done = await researcher.waitFor(tea.snapshotId);
console.log("tea is", done.status, "-", done.state?.messages?.at(-1)?.content[0]?.text);

const everything = await researcher.detach(say("everything"), { sessionId: "everything" });
const { previousStatus, status } = await researcher.abort(everything.snapshotId);
console.log("everything was", previousStatus, "and is", status);
console.log("waiting for it gives", (await everything.wait()).status);

// A connection can be let go of as well, with all that waits in it.
const connection = researcher.connect({ sessionId: "milk" });
await connection.sendText("milk");
await connection.sendText("honey");
await connection.detach();
const { snapshotId = "", finishReason } = await connection.output();
const both = await researcher.waitFor(snapshotId);
console.log("milk and honey:", finishReason, "then", both.status);
console.log(both.state?.messages?.map(({ content }) => content[0]?.text).join(" | "));
