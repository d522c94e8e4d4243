import { defineCustomAgent, TurnkeepError } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

// A turn that fails is kept as well: with the input, why it failed, and whatever it chose to keep. An empty input tries again.
let isKitchenOpen = false;

const cook = defineCustomAgent({ name: "cook", store: new MemoryStore() }, async ({ session }) => {
  await session.run((_, turn) => {
    const isChopped = session.messages().some(({ content }) => content[0]?.text === "chopped");
    if (!isChopped) {
      console.log("  chopping");
      session.addMessages({ role: "model", content: [{ text: "chopped" }] });
      // From here on this is not lost, whatever happens next.
      turn.keep();
    }
    session.addMessages({ role: "model", content: [{ text: "boiling" }] });
    if (!isKitchenOpen) throw Object.assign(new Error("no gas"), { status: "UNAVAILABLE" });
    session.addMessages({ role: "model", content: [{ text: "served" }] });
    return { finishReason: "stop" };
  });
  return session.result();
});

const sessionId = "dinner";
const failed = await cook.runText("Soup, please", { sessionId });
console.log("output:", failed.finishReason, failed.error?.status, failed.error?.message);

// In this process the output also has what was thrown. To throw it is one call.
console.log("cause:", failed.cause instanceof Error);
try {
  console.log(failed.orThrow().text);
} catch (error) {
  const isOurs = TurnkeepError.is(error) && error.cause === failed.cause;
  console.log("thrown:", isOurs && error.status);
}

const kept = await cook.getSnapshot(failed.snapshotId ?? "");
console.log("snapshot:", kept.status, textsOf(kept.state?.messages));

isKitchenOpen = true;
const retried = await cook.run({}, { sessionId });
console.log("output:", retried.orThrow().finishReason);
const served = await cook.getSnapshot(retried.snapshotId ?? "");
console.log("snapshot:", served.status, textsOf(served.state?.messages));

// A snapshot that is not there is an answer as well. A call that contradicts itself rejects.
const lost = await cook.runText("Hello?", { snapshotId: `${sessionId}.nothing` });
console.log("unknown snapshot:", lost.finishReason, lost.error?.status);
await cook
  .runText("Hello?", { sessionId: "breakfast", snapshotId: failed.snapshotId ?? "" })
  .catch((error: Error & { status?: string }) => console.log("wrong session:", error.status));

function textsOf(messages: readonly { content: readonly { text?: string }[] }[] = []): string {
  return messages.map(({ content }) => content[0]?.text).join(" | ");
}
