import { z } from "genkit";
import { definePromptAgent } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { textsOf } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { errorOf } from "../../agent/authoring/turns.ts";
import { linesOf, ScriptedModel, scriptedGenkit, systemOf } from "../scripted-model.ts";
import { promptFolder } from "./prompt-folder.ts";

const GREETER = `---
model: scripted
config:
  temperature: 0.5
input:
  schema:
    name: string
    mood?: string
---
{{role "system"}}You greet {{name}}. State: {{@state.mood}}.
{{history}}
`;

describe.each(STORES)("an agent with a prompt from a file, over %s", (_, openStore) => {
  it("renders it in each turn and keeps none of it", async () => {
    const { ai, model } = scriptedGenkit({ promptDir: promptFolder({ greeter: GREETER }) });
    const agent = await definePromptAgent(ai, {
      name: "greeter",
      store: await openStore(),
      input: { name: "Ann" },
    });
    model.says("Hello", "Bye");
    await agent.runText("hi", { sessionId: "s" });
    await agent.runText("bye", { sessionId: "s" });
    expect(model.requests.map((request) => systemOf(request).trim())).toEqual([
      "You greet Ann. State: .",
      "You greet Ann. State: .",
    ]);
    expect(linesOf(model.lastRequest).slice(1)).toEqual(["user: hi", "model: Hello", "user: bye"]);
    expect(model.lastRequest.config).toEqual({ temperature: 0.5 });
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["hi", "Hello", "bye", "Bye"]);
    expect(state?.messages).toEqual([
      { role: "user", content: [{ text: "hi" }] },
      { role: "model", content: [{ text: "Hello" }] },
      { role: "user", content: [{ text: "bye" }] },
      { role: "model", content: [{ text: "Bye" }] },
    ]);
  });

  it("shares it with another agent, each with an input and sessions of its own", async () => {
    const { ai, model } = scriptedGenkit();
    const store = await openStore();
    ai.definePrompt({
      name: "expert",
      input: { schema: z.object({ topic: z.string() }) },
      system: "You know {{topic}}.",
    });
    const [wine, bread] = await Promise.all(
      ["wine", "bread"].map((topic) =>
        definePromptAgent(ai, { name: topic, prompt: "expert", store, input: { topic } }),
      ),
    );
    model.says("Red.", "Rye.");
    await wine!.runText("which?", { sessionId: "s" });
    await bread!.runText("which?", { sessionId: "s" });
    expect(model.requests.map(systemOf)).toEqual(["You know wine.", "You know bread."]);
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([2, 2]);
    expect(textsOf((await wine!.getLatestSnapshot("s")).state)).toEqual(["which?", "Red."]);
    expect(textsOf((await bread!.getLatestSnapshot("s")).state)).toEqual(["which?", "Rye."]);
  });
});

describe("an agent with a prompt that Genkit knows", () => {
  it("takes the one of its own name unless told otherwise", async () => {
    const { ai, model } = scriptedGenkit();
    ai.definePrompt({ name: "namesake", system: "Mine." });
    const agent = await definePromptAgent(ai, { name: "namesake" });
    model.says("ok");
    await agent.runText("hi");
    expect(linesOf(model.lastRequest)).toEqual(["system: Mine.", "user: hi"]);
  });

  it("takes one that is handed over, and its variants", async () => {
    const { ai, model } = scriptedGenkit();
    const plain = ai.definePrompt({ name: "poet", system: "Plain." });
    const fancy = ai.definePrompt({ name: "poet", variant: "fancy", system: "Fancy." });
    const first = await definePromptAgent(ai, { name: "first", prompt: plain });
    const second = await definePromptAgent(ai, { name: "second", prompt: fancy });
    const third = await definePromptAgent(ai, { name: "third", prompt: "poet.fancy" });
    model.says("a", "b", "c");
    for (const agent of [first, second, third]) await agent.runText("hi");
    expect(model.requests.map(systemOf)).toEqual(["Plain.", "Fancy.", "Fancy."]);
  });

  it("shows a prompt's own functions the history", async () => {
    const { ai, model } = scriptedGenkit();
    ai.definePrompt({
      name: "trimmer",
      system: "Trim.",
      messages: async (_input, { history = [] }) => history.slice(-1),
    });
    const agent = await definePromptAgent(ai, { name: "trimmer" });
    model.says("one", "two");
    const { state = {} } = await agent.runText("1");
    const last = await agent.runText("2", { state });
    expect(linesOf(model.lastRequest)).toEqual(["system: Trim.", "user: 2"]);
    expect(textsOf(last.state)).toEqual(["1", "one", "2", "two"]);
  });

  it("is refused when there is no such prompt", async () => {
    const { ai } = scriptedGenkit();
    const error = await errorOf(() => definePromptAgent(ai, { name: "nobody" }));
    expect(error.status).toBe("NOT_FOUND");
    expect(error.message).toContain("'nobody'");
  });

  it("is refused when its input does not fit the prompt, in code and in files", async () => {
    const { ai } = scriptedGenkit({ promptDir: promptFolder({ greeter: GREETER }) });
    ai.definePrompt({
      name: "expert",
      input: { schema: z.object({ topic: z.string() }) },
      system: "You know {{topic}}.",
    });
    const misfits = { expert: { topic: 5 }, greeter: { name: 5 } };
    for (const [prompt, misfit] of Object.entries(misfits)) {
      const error = await errorOf(() =>
        definePromptAgent(ai, { name: "misfit", prompt, input: misfit }),
      );
      expect(error).toMatchObject({ status: "INVALID_ARGUMENT" });
      expect(error.message).toMatch(
        /^The input does not fit the prompt's schema: \S+ must be string/,
      );
    }
    // The name is still free.
    await definePromptAgent(ai, { name: "misfit", prompt: "expert", input: { topic: "tea" } });
  });
});

describe("what an agent says besides its prompt", () => {
  it("counts more than what the prompt says", async () => {
    const { ai, model } = scriptedGenkit();
    const other = new ScriptedModel(ai, "other");
    const define = (name: string): ReturnType<typeof ai.defineTool> =>
      ai.defineTool({ name, description: name }, async () => name);
    const [hammer, saw] = [define("hammer"), define("saw")];
    ai.definePrompt({
      name: "smith",
      model: "scripted",
      config: { temperature: 0.1, topK: 3 },
      tools: [hammer],
      toolChoice: "auto",
      maxTurns: 1,
      system: "Smith.",
    });
    const plain = await definePromptAgent(ai, { name: "plain", prompt: "smith" });
    const own = await definePromptAgent(ai, {
      name: "own",
      prompt: "smith",
      model: "other",
      config: { temperature: 0.9 },
      tools: [saw],
      toolChoice: "required",
      maxTurns: 3,
      docs: [{ content: [{ text: "a page" }] }],
    });
    model.says("ok");
    await plain.runText("hi");
    const summary = ({ config, tools, toolChoice, docs }: typeof model.lastRequest): unknown => ({
      config,
      tools: tools?.map(({ name }) => name),
      toolChoice,
      docs,
    });
    expect(summary(model.lastRequest)).toEqual({
      config: { temperature: 0.1, topK: 3 },
      tools: ["hammer"],
      toolChoice: "auto",
      docs: undefined,
    });
    for (let round = 0; round < 3; round += 1) other.asksFor({ name: "saw", ref: `${round}` });
    other.says("cut");
    expect(await own.runText("hi")).toMatchObject({ finishReason: "stop" });
    expect(summary(other.lastRequest)).toEqual({
      config: { temperature: 0.9, topK: 3 },
      tools: ["saw"],
      toolChoice: "required",
      docs: [{ content: [{ text: "a page" }] }],
    });
    model.asksFor({ name: "hammer", ref: "1" }).asksFor({ name: "hammer", ref: "2" });
    expect((await plain.runText("hi")).error).toMatchObject({
      status: "ABORTED",
      message: expect.stringContaining("maximum tool call iterations (1)"),
    });
  });
});
