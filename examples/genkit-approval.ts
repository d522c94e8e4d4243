import { genkit, z } from "genkit/beta";
import { type AgentOutput, openInterrupts } from "turnkeep";
import { defineAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { scriptedModel } from "./genkit/scripted-model.ts";

// A tool that asks a person first. The turn ends as interrupted, for as long as it takes; then the tool runs with the person's word (approve), or
// gets an answer put in its place (answer, deny). Interrupts are a beta of Genkit's, hence the import.
const ai = genkit({});

const pay = ai.defineTool(
  {
    name: "pay",
    description: "Pays a bill.",
    inputSchema: z.object({ to: z.string(), euros: z.number() }),
    outputSchema: z.string(),
  },
  async ({ to, euros }, { interrupt, resumed, context }) => {
    if (euros > 100 && !resumed) interrupt({ question: `Pay ${euros} euros to ${to}?` });
    // Who approved is in the call's context. `resumed` is whatever the client sent.
    const approval = resumed ? `, approved by ${context?.["auth"]?.name}` : "";
    return `${to} got ${euros} euros${approval}.`;
  },
);

const clerk = defineAgent(ai, {
  name: "clerk",
  // Not a real one: it takes "20 baker" for a wish to pay, and repeats what the tool says.
  model: scriptedModel(ai, ({ text, results }) => {
    const [euros, to] = text.split(" ");
    return results[0]?.toString() ?? { tool: "pay", input: { to, euros: Number(euros) } };
  }),
  tools: [pay],
  store: new MemoryStore(),
});

function say(output: AgentOutput): void {
  console.log(`${output.finishReason}: ${output.message?.content[0]?.text ?? "..."}`);
}

say(await clerk.runText("20 baker"));

const rent = await clerk.runText("900 landlord", { sessionId: "rent" });
say(rent);
const [landlord] = openInterrupts(rent);
console.log("asked:", JSON.stringify(landlord?.interrupt));
// The tool runs, with `resumed` set to this. Its input is the one that was asked about.
const approval = landlord?.approve({ note: "It is due." });
// Over HTTP, the context is what the server's sign-in says of the caller.
const context = { auth: { name: "Ada" } };
say(await clerk.run({ resume: approval! }, { sessionId: "rent", context }));

const yacht = await clerk.runText("90000 shipyard", { sessionId: "yacht" });
const [shipyard] = openInterrupts(yacht);
// The tool does not run; this is what the model is told. `deny("Too much.")` tells it so in a fixed form.
const answer = shipyard?.answer("Ada said no.");
say(await clerk.run({ resume: answer! }, { sessionId: "yacht" }));

// As long as a request waits there is no other way on, and nobody can answer it twice.
const { error } = await clerk.run({ resume: answer! }, { sessionId: "yacht" });
console.log("again:", error?.status);
