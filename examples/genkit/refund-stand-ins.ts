import type { Genkit } from "genkit";
import { standInModel } from "turnkeep/genkit";
import { ScriptedModel } from "turnkeep/testing";

/** Neither the model's plugin nor the bank is here: a script answers for the one, a function for the other. */
export function standInForModelAndBank(ai: Genkit, model: string): void {
  const script = new ScriptedModel()
    .asksFor({ name: "refund", input: { order: "7" } })
    .says("Order 7 is paid back.");
  standInModel(ai, model, script.answer);
  globalThis.fetch = async () => new Response(null, { status: 201 });
}
