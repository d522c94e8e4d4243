import { setTimeout } from "node:timers/promises";
import { defineCustomAgent, TurnkeepError } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

// Two messages for one session at the same time: what becomes of the second is stated, never left to chance.
const waiter = defineCustomAgent(
  { name: "waiter", store: new MemoryStore(), onBusy: "reject" },
  async ({ session }) => {
    await session.run(async ({ message }, { signal }) => {
      await setTimeout(200, undefined, { signal });
      const order = message?.content[0]?.text ?? "";
      session.addMessages({ role: "model", content: [{ text: `${order}, here you are` }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

async function orderTwo(onBusy: "reject" | "queue" | "interrupt"): Promise<void> {
  const sessionId = `table for ${onBusy}`;
  const first = waiter.runText("soup", { sessionId });
  // The agent has its policy, and each call may bring its own.
  await setTimeout(50);
  const second = waiter.runText("bread", { sessionId, onBusy }).catch((error: unknown) => {
    if (!TurnkeepError.is(error)) throw error;
    return { finishReason: `${error.status} ${error.reason ?? ""}` };
  });
  console.log(
    `${onBusy}: soup ${(await first).finishReason}, bread ${(await second).finishReason}`,
  );
  const { state } = await waiter.getLatestSnapshot(sessionId);
  console.log(" ", state?.messages?.map(({ content }) => content[0]?.text).join(" | "));
}

await orderTwo("reject");
await orderTwo("queue");
await orderTwo("interrupt");
