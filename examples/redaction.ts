import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { z } from "zod";

// What clients see is decided for each of them: transforms get a copy and the caller's context. If one fails, nothing is sent.
const bank = defineCustomAgent(
  {
    name: "bank",
    store: new MemoryStore(),
    state: z.object({ balance: z.number(), note: z.string().optional() }),
    initialState: { balance: 0 },
    transformState: (state, { auth }) => {
      if (!isClerk(auth) && state.custom) delete state.custom.note;
      return state;
    },
    transformStream: (chunk, { auth }) => {
      // Nothing returned, nothing sent.
      if (chunk.status !== undefined && !isClerk(auth)) return undefined;
      return chunk;
    },
  },
  async ({ session, respond }) => {
    await session.run(() => {
      respond.status("checking the customer's credit");
      session.setCustom({ balance: 100, note: "owes us" });
      respond.text("You have 100.");
      session.addMessages({ role: "model", content: [{ text: "You have 100." }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

function isClerk(auth: unknown): boolean {
  return (auth as { readonly role?: string } | undefined)?.role === "clerk";
}

async function show(role: string): Promise<void> {
  const context = { auth: { role } };
  console.log(`A ${role} sees`);
  const { chunks } = bank.streamText("How much?", { sessionId: role, context });
  for await (const chunk of chunks) {
    if (!chunk.turnEnd) console.log(" ", JSON.stringify(chunk));
  }
  const { state } = await bank.getLatestSnapshot(role, { context });
  console.log("  kept:", JSON.stringify(state?.custom));
}

await show("customer");
await show("clerk");
