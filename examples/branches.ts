import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

// Every turn is a snapshot in a tree: go on from any of them, compare them, name them, start anew from one.
const planner = defineCustomAgent(
  { name: "planner", store: new MemoryStore() },
  async ({ session }) => {
    await session.run(({ message }) => {
      const place = message?.content[0]?.text ?? "";
      session.addMessages({ role: "model", content: [{ text: `We go to ${place}.` }] });
      session.updateCustom(() => ({ place }));
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

const sessionId = "holiday";
const sea = await planner.runText("the sea", { sessionId });
const island = await planner.runText("an island", { sessionId });

// From the first snapshot on: a branch, which becomes the head. The other one stays.
const hills = await planner.runText("the hills", { snapshotId: sea.snapshotId ?? "" });
const nameOf = new Map([
  [sea.snapshotId, "sea"],
  [island.snapshotId, "island"],
  [hills.snapshotId, "hills"],
]);
for (const { snapshotId, parentId } of await planner.listSnapshots(sessionId)) {
  console.log(nameOf.get(snapshotId), "comes after", nameOf.get(parentId) ?? "nothing");
}
const head = await planner.getLatestSnapshot(sessionId);
console.log("the head is", nameOf.get(head.snapshotId));

const difference = await planner.diff(island.snapshotId ?? "", hills.snapshotId ?? "");
console.log("they share", difference.messages.common, "messages, then differ:");
for (const { content } of difference.messages.removed) console.log("  -", content[0]?.text);
for (const { content } of difference.messages.added) console.log("  +", content[0]?.text);
console.log("state:", JSON.stringify(difference.custom));

// A label is a name for a snapshot, and keeps it from being tidied away.
await planner.label(sessionId, { label: "plan B", snapshotId: island.snapshotId ?? "" });

// A session of its own, starting there, with a state that was edited.
const copy = await planner.fork(island.snapshotId ?? "", {
  sessionId: "holiday-next-year",
  state: { messages: [], custom: { place: "the same island" } },
});
console.log("forked into", copy.sessionId, JSON.stringify(copy.state?.custom));
