import { genkit, ToolInterruptError, z } from "genkit";
import { currentSession, openInterrupts } from "turnkeep";
import { defineAgent, toolCall } from "turnkeep/genkit";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { standInForModelAndBank } from "./genkit/refund-stand-ins.ts";

const ai = genkit({ plugins: [] }); // any of Genkit's model plugins

const refund = ai.defineTool(
  {
    name: "refund",
    description: "Pays an order back.",
    inputSchema: z.object({ order: z.string() }),
  },
  async ({ order }, options) => {
    if (!options.resumed) throw new ToolInterruptError({ ask: `Refund ${order}?` }); // waits for a person
    const { idempotencyKey, signal } = toolCall(options)!; // the same key if another process has to try again
    currentSession<{ mood: string }>()?.updateCustom(() => ({ mood: "relieved" }));
    const headers = { "idempotency-key": idempotencyKey };
    const paid = await fetch("https://pay.example/refund", { method: "POST", headers, signal });
    return paid.status;
  },
);

const support = defineAgent(ai, {
  name: "support",
  model: "googleai/gemini-flash-latest",
  system: "You are {{role}}. The customer seems {{@state.mood}}.", // rendered again in each turn
  input: { schema: z.object({ role: z.string() }), default: { role: "a patient helper" } },
  tools: [refund],
  state: z.object({ mood: z.string() }),
  initialState: { mood: "unknown" },
  store: await openSqliteStore("support.db"),
});

standInForModelAndBank(ai, "googleai/gemini-flash-latest");

const asked = await support.runText("Refund order 7, please.", { sessionId: "user-42" });
for (const interrupt of openInterrupts(asked)) {
  await support.run({ resume: interrupt.approve() }, { sessionId: "user-42" });
}

console.log(asked.finishReason);
const { state } = await support.getLatestSnapshot("user-42");
console.log(state?.messages?.at(-1)?.content[0]?.text, "The customer is", state?.custom?.mood);
await support.close();
