import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { genkit, z } from "genkit";
import { defineAgent, standInModel } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { forkIntoTest, type ModelFunction, RecordedModel, ScriptedModel } from "turnkeep/testing";

// An agent as your program has it, with the model of some plugin. Tests run it as it is.
const ai = genkit({});
const stock = ai.defineTool(
  { name: "stock", description: "how much is left", inputSchema: z.object({ item: z.string() }) },
  async ({ item }) => (item === "tea" ? 7 : 0),
);
const clerk = defineAgent(ai, {
  name: "clerk",
  model: "vendor/large",
  tools: [stock],
  store: new MemoryStore(),
});

// A script in the model's place.
const script = new ScriptedModel()
  .asksFor({ name: "stock", input: { item: "tea" } })
  .says("Seven packs of tea are left.");
let answer: ModelFunction = script.answer;
standInModel(ai, "vendor/large", (request, listener) => answer(request, listener));
const { message, snapshotId = "" } = await clerk.runText("Is there tea?", { sessionId: "ada" });
console.log("scripted:", message?.content[0]?.text);

// A copy of a stored session, on a store of the test's own: the first one is only read.
const copy = await forkIntoTest(clerk, { store: new MemoryStore(), sessionId: "ada" });

// What a real model said is written down, and said again the next time.
const folder = await mkdtemp(join(tmpdir(), "turnkeep-example-"));
const file = join(folder, "order.json");
const real = new ScriptedModel().says("Two packs are on their way.");
for (const text of ["Two, please", "Two, please", "Three, please"]) {
  const model = new RecordedModel(file, real.answer);
  answer = model.answer;
  const { message: reply, error } = await copy.runText(text, { snapshotId });
  const said = error ? "left the recording" : reply?.content[0]?.text;
  console.log(model.isReplaying ? "replayed:" : "recorded:", said);
}

console.log("the copy has", (await copy.listSnapshots("ada")).length, "snapshots");
console.log("the original has", (await clerk.listSnapshots("ada")).length);

await Promise.all([clerk.close(), copy.close(), rm(folder, { recursive: true })]);
