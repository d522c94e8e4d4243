import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

// A step is something done outside the session that must not be done twice. It is written down when it begins and when it is done: a
// process that takes the turn over finds what was done and does not do it again.
const shop = defineCustomAgent({ name: "shop", store: new MemoryStore() }, async ({ session }) => {
  await session.run(async ({ message }, turn) => {
    const item = message?.content[0]?.text ?? "";
    const payment = await turn.step(
      { name: "charge", input: { item, cents: 450 } },
      // Systems that know idempotency keys recognise a request that is sent again.
      ({ idempotencyKey }) => chargeCard(idempotencyKey, 450),
    );
    // Looking something up does no harm, so it may run again if nobody knows how it ended.
    const stock = await turn.step({ name: "count", input: item, idempotent: true }, () => 7);
    const text = `${item}: paid (${payment}), ${stock} left`;
    session.addMessages({ role: "model", content: [{ text }] });
    return { finishReason: "stop" };
  });
  return session.result();
});

// A bank that keeps what it was asked, by key.
const charges = new Map<string, string>();

async function chargeCard(key: string, cents: number): Promise<string> {
  const receipt = charges.get(key) ?? `receipt ${charges.size + 1} for ${cents} cents`;
  charges.set(key, receipt);
  return receipt;
}

const order = { sessionId: "customer-7", requestId: "order-1" };
const first = await shop.runText("Tea", order);
console.log(first.message?.content[0]?.text);

// The same request again, as after a lost answer: it is recognised, and nothing is done twice.
const again = await shop.runText("Tea", order);
console.log(again.message?.content[0]?.text);
console.log("same turn:", again.snapshotId === first.snapshotId, "charges:", charges.size);
