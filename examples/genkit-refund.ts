import { genkit, ToolInterruptError, z } from "genkit";
import { currentSession, mergeResumes, openInterrupts } from "turnkeep";
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

const sessionId = "user-42";
const asked = (await support.runText("Refund order 7, please.", { sessionId })).orThrow();
const approvals = openInterrupts(asked).map((interrupt) => interrupt.approve()); // the tool runs
const paid = await support.run({ resume: mergeResumes(...approvals) }, { sessionId });
console.log(paid.orThrow().text);

const { state } = await support.getLatestSnapshot(sessionId);
console.log(asked.finishReason, "before; now the customer is", state?.custom?.mood);
await support.close();
