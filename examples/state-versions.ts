import { defineCustomAgent, type SessionStore } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { z } from "zod";

// Sessions outlive the code that began them: a state says which version of its schema it follows, and a newer build migrates it when it is read.
const store: SessionStore = new MemoryStore();

// The first build, before anybody thought of versions.
const first = defineCustomAgent(
  { name: "shopper", store, state: z.object({ items: z.string() }), initialState: { items: "" } },
  async ({ session }) => {
    await session.run(() => session.setCustom({ items: "tea, lemons" }));
  },
);
const { snapshotId = "" } = await first.runText("Tea and lemons", { sessionId: "basket" });

// A later build. Version 1 had a list of names; this one knows how many of each.
const ofNames = z.array(z.string());
const shopper = defineCustomAgent(
  {
    name: "shopper",
    store,
    state: {
      version: 2,
      schema: z.object({ items: z.record(z.string(), z.number()) }),
      // Version 0 is a state kept before there were versions. What comes back must fit the schema, or it does not compile.
      migrate: (state, fromVersion) => {
        const { items } = z.object({ items: z.union([z.string(), ofNames]) }).parse(state);
        const names = fromVersion === 0 ? String(items).split(", ") : ofNames.parse(items);
        return { items: Object.fromEntries(names.map((name) => [name, 1])) };
      },
    },
    initialState: { items: {} },
  },
  async ({ session }) => {
    await session.run(() =>
      session.updateCustom(({ items }) => {
        items["lemons"] = (items["lemons"] ?? 0) + 1;
      }),
    );
  },
);

const before = await shopper.getSnapshot(snapshotId);
console.log("read:", JSON.stringify(before.state?.custom));

await shopper.runText("One more lemon", { sessionId: "basket" });
for (const { stateVersion = "none" } of await shopper.listSnapshots("basket")) {
  console.log("kept in version", stateVersion);
}
const { state } = await shopper.getLatestSnapshot("basket");
console.log("now:", JSON.stringify(state?.custom));

// The old build does not touch what it cannot understand.
const { error } = await first.runText("Hello?", { sessionId: "basket" });
console.log("old build:", JSON.stringify(error?.details));

await Promise.all([first.close(), shopper.close()]);
