import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { genkit, z } from "genkit";
import type { LocalAgent } from "turnkeep";
import { defineAgent, standInModel } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { forkIntoTest, RecordedModel, ScriptedModel } from "turnkeep/testing";
import { expect, onTestFinished, test } from "vitest";

/** An agent as a program has it: its model is a plugin's, which is not there. */
function production(): {
  readonly ai: ReturnType<typeof genkit>;
  readonly agent: LocalAgent;
} {
  const ai = genkit({});
  const weather = ai.defineTool(
    { name: "weather", description: "the weather", inputSchema: z.object({ city: z.string() }) },
    async ({ city }) => `rain in ${city}`,
  );
  const agent = defineAgent(ai, {
    name: "guide",
    model: "vendor/large",
    tools: [weather],
    store: new MemoryStore(),
  });
  return { ai, agent };
}

function recordingPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "turnkeep-recording-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "guide.json");
}

test("an agent runs against a scripted model with no change to it", async () => {
  const { ai, agent } = production();
  const model = new ScriptedModel()
    .asksFor({ name: "weather", input: { city: "Oslo" } })
    .says("Take an umbrella.");
  standInModel(ai, "vendor/large", model.answer);
  const { chunks, output } = agent.streamText("Oslo?", { sessionId: "s" });
  const words: string[] = [];
  for await (const { modelChunk } of chunks)
    for (const { text } of modelChunk?.content ?? []) if (text) words.push(text);
  expect((await output).message?.content).toEqual([{ text: "Take an umbrella." }]);
  expect(words).toEqual(["Take ", "an ", "umbrella."]);
  expect(model.left).toBe(0);
  expect(JSON.stringify(model.requests[1])).toContain("rain in Oslo");
});

test("a scripted model says when its script is over, and fails as told", async () => {
  const { ai, agent } = production();
  const model = new ScriptedModel().fails(new Error("no quota"));
  standInModel(ai, "vendor/large", model.answer);
  expect((await agent.runText("a")).error?.message).toContain("no quota");
  expect((await agent.runText("b")).error?.message).toMatch(
    /asked for answer 2 and has none left\. Script another/,
  );
});

test("what a model said once is said again from the file", async () => {
  const path = recordingPath();
  const real = new ScriptedModel()
    .asksFor({ name: "weather", input: { city: "Rome" } })
    .says("Sunglasses.");
  const play = async (model: RecordedModel, text: string): Promise<unknown> => {
    const { ai, agent } = production();
    standInModel(ai, "vendor/large", model.answer);
    const { message, error } = await agent.runText(text, { sessionId: "s" });
    return error?.message ?? message?.content;
  };
  const first = new RecordedModel(path, real.answer);
  expect(first.isReplaying).toBe(false);
  expect(await play(first, "Rome?")).toEqual([{ text: "Sunglasses." }]);
  const again = new RecordedModel(path);
  expect(again.isReplaying).toBe(true);
  expect(await play(again, "Rome?")).toEqual([{ text: "Sunglasses." }]);
  expect(real.left).toBe(0);
  expect(await play(again, "Rome?")).toMatch(
    /left the recording at .*it holds 2 replies, and reply 3 is asked for/,
  );
  expect(await play(new RecordedModel(path), "Oslo?")).toMatch(
    /message 1 of request 1 is not the one that was recorded\. If it is meant to, remove the file/,
  );
});

test("a recording that is not there, or is none, is refused", () => {
  const path = recordingPath();
  expect(() => new RecordedModel(path)).toThrow(/There is no recording at .*Name the model/);
  writeFileSync(path, "{}");
  expect(() => new RecordedModel(path)).toThrow(/is no recording\. Remove it/);
});

test("a stored session is gone on from in a test, and stays as it was", async () => {
  const { ai, agent } = production();
  const model = new ScriptedModel().says("one", "two", "three");
  standInModel(ai, "vendor/large", model.answer);
  const first = await agent.runText("a", { sessionId: "s" });
  await agent.runText("b", { sessionId: "s" });
  const copy = await forkIntoTest(agent, { store: new MemoryStore(), sessionId: "s" });
  const branched = await copy.runText("c", { snapshotId: first.snapshotId ?? "" });
  expect(branched.message?.content).toEqual([{ text: "three" }]);
  expect(await copy.listSnapshots("s")).toHaveLength(3);
  expect(await agent.listSnapshots("s")).toHaveLength(2);
});

test("so is one from a file, which is refused where its name is taken", async () => {
  const { agent, ai } = production();
  standInModel(ai, "vendor/large", new ScriptedModel().says("one").answer);
  await agent.runText("a", { sessionId: "s" });
  const lines: string[] = [];
  for await (const line of agent.exportSession("s")) lines.push(line);
  const store = new MemoryStore();
  const copy = await forkIntoTest(production().agent, { store, sessionId: "s", lines });
  expect((await copy.getLatestSnapshot("s")).state?.messages).toHaveLength(2);
  await expect(forkIntoTest(agent, { store, sessionId: "s", lines })).rejects.toMatchObject({
    status: "ALREADY_EXISTS",
  });
});
