import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { z } from "zod";

// State of your own beside the messages: typed and checked by a schema (zod here, any Standard Schema will do), streamed as patches.
const shopper = defineCustomAgent(
  {
    name: "shopper",
    store: new MemoryStore(),
    state: z.object({ items: z.array(z.string()), total: z.number() }),
    initialState: { items: [], total: 0 },
  },
  async ({ session }) => {
    await session.run(({ message }) => {
      const item = message?.content[0]?.text ?? "";
      // Each call sends clients what changed; the draft has the type of the schema.
      session.updateCustom((draft) => {
        draft.items.push(item);
      });
      session.updateCustom((draft) => {
        draft.total += item.length;
      });
    });
  },
);

const connection = shopper.connect({ sessionId: "basket" });
for (const item of ["tea", "lemons"]) {
  await connection.sendText(item);
  for await (const { customPatch, turnEnd } of connection.receive()) {
    if (customPatch) console.log(JSON.stringify(customPatch));
    if (turnEnd) break;
  }
  // What the patches received so far add up to.
  console.log("now:", JSON.stringify(connection.custom()));
}
await connection.output();

const { state, snapshotId } = await shopper.getLatestSnapshot("basket");
console.log("kept:", state?.custom?.items.join(", "));

// A state that does not fit is refused, whoever brings it. The types would say so too, hence the cast.
const wrong = { custom: { items: "tea", total: 3 } as never };
await shopper
  .fork(snapshotId, { state: wrong })
  .catch((error: Error) => console.log("refused:", error.message));
