import { genkit, z } from "genkit";
import { defineAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { scriptedModel } from "./genkit/scripted-model.ts";

// An agent that answers in a shape: the model is told the schema, its text is checked against it, and the output has its type.
// An answer that does not fit fails the turn; an empty input tries again.
const Plan = z.object({ steps: z.array(z.string()), minutes: z.number() });
const ai = genkit({});

// Not a real one: it answers with JSON written down beforehand, the second one wrong.
const answers = [
  '{ "steps": ["boil water", "pour it over the leaves", "wait"], "minutes": 7 }',
  '{ "steps": "buy a cake", "minutes": 5 }',
  '{ "steps": ["buy a cake"], "minutes": 5 }',
];

const planner = defineAgent(ai, {
  name: "planner",
  model: scriptedModel(ai, () => answers.shift() ?? ""),
  system: "Split what you are told into steps.",
  output: { schema: Plan },
  store: new MemoryStore(),
});

const { output } = await planner.runText("Make tea", { sessionId: "party" });
// `output` is typed by the schema.
for (const step of output?.steps ?? []) console.log("-", step);
console.log(`${output?.minutes} minutes`);

const wrong = await planner.runText("Bake a cake", { sessionId: "party" });
console.log(wrong.finishReason, wrong.error?.status, wrong.output);
const retried = await planner.run({}, { sessionId: "party" });
console.log(retried.finishReason, retried.output?.steps.join(", "));
