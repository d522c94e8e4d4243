import { defineAgent, shareTracing } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { beforeAll, expect, test } from "vitest";
import { answer, scriptedGenkit } from "../genkit/scripted-model.ts";
import { reflecting } from "./reflecting.ts";
import { tracing } from "./tracing.ts";

beforeAll(() => shareTracing());

test("the tokens of a trace's spans add up to the turn's", async () => {
  const traces = tracing();
  const { ai, model } = scriptedGenkit();
  const clock = ai.defineTool({ name: "clock", description: "The time." }, async () => "12:00");
  const agent = defineAgent(ai, { name: "timer", tools: [clock], store: new MemoryStore() });
  const asks = { toolRequest: { name: "clock", input: {} } };
  model.replies(
    () => answer([asks], { usage: { inputTokens: 40, outputTokens: 3 } }),
    () => answer([{ text: "Noon." }], { usage: { inputTokens: 50, outputTokens: 7 } }),
  );
  const { snapshotId = "" } = await agent.runText("What time is it?");
  const { usage } = await agent.getSnapshot(snapshotId);
  const { ask } = reflecting([agent], { traces });
  const [{ traceId }] = (await ask(`traces?snapshotId=${snapshotId}`)).body.traces;
  const { columns, spans } = (await ask(`traces/${traceId}?view=light`)).body;
  const sum = (name: string): number =>
    spans.reduce(
      (total: number, row: readonly number[]) => total + (row[columns.indexOf(name)] ?? 0),
      0,
    );
  expect(usage).toMatchObject({ inputTokens: 90, outputTokens: 10 });
  expect([sum("inputTokens"), sum("outputTokens")]).toEqual([90, 10]);
  await agent.close();
});
