import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { genkit, z } from "genkit";
import { defineAgent, toolCall } from "turnkeep/genkit";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { scriptedModel } from "./genkit/scripted-model.ts";

// An agent that is a prompt on Genkit: no loop to write. Its system text shows how the session's state stands in each turn, a tool
// changes that state, and SQLite keeps all of it.
const Basket = z.object({ items: z.array(z.string()) });
const ai = genkit({});

const putIn = ai.defineTool(
  {
    name: "putIn",
    description: "Puts something into the basket.",
    inputSchema: z.object({ item: z.string() }),
    outputSchema: z.string(),
  },
  async ({ item }, options) => {
    // The session that the tool works for; several may be under way at once.
    toolCall<z.infer<typeof Basket>>(options)?.session.updateCustom((basket) => {
      basket.items.push(item);
    });
    return `Added ${item}.`;
  },
);

const folder = await mkdtemp(join(tmpdir(), "turnkeep-example-"));
const store = await openSqliteStore(join(folder, "shop.db"));

const shopper = defineAgent(ai, {
  name: "shopper",
  // Not a real one: it asks for the tool, or repeats what its system text says of the basket.
  model: scriptedModel(ai, ({ text, system, results }) => {
    if (results.length > 0) return results.join(" ");
    const [, item] = /^I need (.+)$/.exec(text) ?? [];
    return item ? { tool: "putIn", input: { item } } : (system.split("Basket: ")[1] ?? "");
  }),
  system: `Help with shopping. Basket: {{#each @state.items}}{{#unless @first}}, {{/unless}}{{this}}{{else}}empty{{/each}}`,
  tools: [putIn],
  state: Basket,
  initialState: { items: [] },
  store,
});

for (const text of ["What have I got?", "I need tea", "I need lemons", "What have I got?"]) {
  const { chunks, output } = shopper.streamText(text, { sessionId: "ada" });
  for await (const { customPatch } of chunks) {
    if (customPatch) console.log("  patch", JSON.stringify(customPatch));
  }
  console.log(`${text} -> ${(await output).message?.content[0]?.text}`);
}

// The talk holds the tool's requests and answers, and nothing of the prompt: that is made anew in each turn.
const { state } = await shopper.getLatestSnapshot("ada");
console.log("kept:", state?.messages?.map(({ role }) => role).join(" "));
console.log("kept:", state?.custom?.items.join(", "));

await shopper.close();
await store.close();
await rm(folder, { recursive: true });
