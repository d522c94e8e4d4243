import { genkit, z } from "genkit";
import { checkResume } from "turnkeep";
import {
  defineCustomAgent,
  fromGenkitMessages,
  journalTools,
  toGenkitMessages,
  toolCall,
} from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { scriptedModel } from "./genkit/scripted-model.ts";

// An agent with a loop of its own, which asks the model by `ai.generate`. Its tools are journaled and stream like those of a prompt agent.
const ai = genkit({});

const dig = ai.defineTool(
  { name: "dig", description: "Digs a hole.", inputSchema: z.object({ meters: z.number() }) },
  async ({ meters }, options) => {
    const { respond } = toolCall(options)!; // the session, a signal and an idempotency key are there too
    for (let depth = 1; depth <= meters; depth += 1) respond.status(`${depth} m`);
    return `a hole of ${meters} m`;
  },
);

const model = scriptedModel(ai, ({ text, results }) =>
  results.length > 0
    ? `Dug ${results.join()}.`
    : { tool: "dig", input: { meters: Number.parseInt(text, 10) } },
);

const digger = defineCustomAgent(
  ai,
  { name: "digger", store: new MemoryStore() },
  async ({ session, respond }) => {
    await session.run(async ({ resume }, { signal }) => {
      if (resume) checkResume(session.messages(), resume); // refuses what no tool waits for
      const { messages, finishReason } = await ai.generate({
        model,
        messages: toGenkitMessages(session.messages()),
        tools: [dig],
        use: [journalTools()],
        abortSignal: signal,
        onChunk: ({ text }) => respond.text(text),
      });
      session.setMessages(fromGenkitMessages(messages));
      return { finishReason: finishReason === "interrupted" ? "interrupted" : "stop" };
    });
    return session.result();
  },
);

const { chunks, output } = digger.streamText("3 meters, please", { sessionId: "garden" });
for await (const { status } of chunks) if (status) console.log("status:", status);
const { finishReason, message } = await output;
console.log(`${finishReason}: ${message?.content[0]?.text}`);
await digger.close();
