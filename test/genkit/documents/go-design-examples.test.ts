import { z } from "genkit/beta";
import type { SessionStore } from "turnkeep";
import { defineAgent, definePromptAgent, toolCall } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { textOf, textsOf } from "../../agent/agents.ts";
import { openStage, toolRequest } from "./document-model.ts";

// Document 002, the design of agents for Genkit in Go: its example usage (section 4) and snapshots (section 5).

const MODEL = "googleai/gemini-3-flash";

describe("002, 4: Basic Agent", () => {
  it("answers with a tool at hand", async () => {
    const { ai, model } = openStage({ model: MODEL });
    const clock = ai.defineTool(
      { name: "clock", description: "Tells the time.", outputSchema: z.string() },
      async () => "noon",
    );
    const chat = defineAgent(ai, {
      name: "chatAgent",
      model: model.name,
      system: "Help where you can.",
      tools: [clock],
    });
    model.will([toolRequest("clock", {})], "It is noon.");
    const connection = chat.connect();
    await connection.sendText("What time is it?");
    let heard = "";
    for await (const { modelChunk, turnEnd } of connection.receive()) {
      if (modelChunk) heard += textOf(modelChunk);
      if (turnEnd) break;
    }
    connection.close();
    await connection.done;
    expect(heard).toBe("It is noon.");
    // Request and answer of the tool are part of the talk.
    const { state } = await connection.output();
    expect(state?.messages?.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
  });
});

describe("002, 4: Agent from Prompt", () => {
  it("takes model, system text and tools from the prompt", async () => {
    const { ai, model } = openStage({ model: MODEL });
    const tools = ["search", "calculator"].map((name) =>
      ai.defineTool({ name, description: `A ${name}.` }, async () => name),
    );
    const prompt = ai.definePrompt({
      name: "assistant",
      model: model.name,
      system: "Help with code.",
      tools,
    });
    const assistant = await definePromptAgent(ai, { name: "assistant", prompt });
    model.will([toolRequest("calculator", {})], "done");
    expect(textOf((await assistant.runText("1 + 1")).message)).toBe("done");
    expect(model.shown[0]).toBe("system: Help with code.");
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["search", "calculator"]);
  });
});

describe("002, 4: Agent with Initial Context", () => {
  it("puts its first messages before the user's once, as a part of the session", async () => {
    const { ai, model } = openStage({ model: MODEL });
    const tutor = defineAgent(ai, {
      name: "tutorAgent",
      model: model.name,
      system: "Teach programming.",
      messages: [
        { role: "user", content: [{ text: "I want to learn about channels." }] },
        { role: "model", content: [{ text: "Gladly. Where shall we begin?" }] },
      ],
      store: new MemoryStore(),
    });
    await tutor.runText("With the basics.", { sessionId: "s" });
    await tutor.runText("Go on.", { sessionId: "s" });
    const talk = [
      "I want to learn about channels.",
      "Gladly. Where shall we begin?",
      "With the basics.",
      "answer 3",
      "Go on.",
      "answer 5",
    ];
    expect(textsOf((await tutor.getLatestSnapshot("s")).state)).toEqual(talk);
    expect(model.shown).toHaveLength(6);
  });
});

describe("002, 4: Agent with Structured Output", () => {
  it("answers in the shape that was asked for", async () => {
    const { ai, model } = openStage({ model: MODEL });
    const planner = defineAgent(ai, {
      name: "taskAgent",
      model: model.name,
      system: "Split tasks into steps.",
      output: {
        schema: z.object({ task: z.string(), steps: z.array(z.string()), priority: z.string() }),
      },
    });
    const plan = { task: "move", steps: ["pack", "drive"], priority: "high" };
    model.will(JSON.stringify(plan));
    const { output } = await planner.runText("I have to move.");
    const steps: string[] | undefined = output?.steps;
    expect(steps).toEqual(["pack", "drive"]);
    expect(output).toEqual(plan);
    // This model knows nothing of schemas, so Genkit tells it in words.
    expect(model.shown.join(" ")).toContain('"required":["task","steps","priority"]');
  });
});

describe("002, 4: Agent with Snapshots", () => {
  it("keeps each turn in its store", async () => {
    const { ai, model } = openStage({ model: MODEL });
    const store = new MemoryStore();
    const chat = defineAgent(ai, { name: "chatAgent", model: model.name, store });
    await chat.runText("one", { sessionId: "s" });
    await chat.runText("two", { sessionId: "s" });
    expect(await chat.listSnapshots("s")).toHaveLength(2);
    // The store is what counts: another agent object of that name finds the session.
    const other = openStage({ model: MODEL });
    const again = defineAgent(other.ai, { name: "chatAgent", model: other.model.name, store });
    await again.runText("three", { sessionId: "s" });
    expect(other.model.shown).toHaveLength(5);
  });
});

const RoleInput = z.object({ role: z.string(), context: z.string() });

describe("002, 4: Agent with Client-Provided Prompt Input", () => {
  it("is filled in by the client when the session starts", async () => {
    const { ai, model } = openStage({ model: MODEL });
    // Inline, since there a variable may be called `role`; a prompt of Genkit's takes that for a helper.
    const roles = defineAgent(ai, {
      name: "roleAgent",
      model: model.name,
      input: { schema: RoleInput },
      system: "Your role: {{role}}. What it is about: {{context}}.",
    });
    const connection = roles.connect({ promptInput: { role: "coach", context: "running" } });
    await connection.sendText("hello");
    await connection.sendText("and now?");
    const { state } = await connection.output();
    expect(model.shown[0]).toBe("system: Your role: coach. What it is about: running.");
    expect(state?.promptInput).toEqual({ role: "coach", context: "running" });
    // @ts-expect-error -- the context is missing
    const refused = roles.runText("hello", { promptInput: { role: "coach" } });
    await expect(refused).rejects.toMatchObject({ status: "INVALID_ARGUMENT" });
  });
});

describe("002, 4: Agent with Default Input and Optional Override", () => {
  it("uses the default unless the session brings another", async () => {
    const { ai, model } = openStage({ model: MODEL });
    const coder = defineAgent(ai, {
      name: "codeAgent",
      model: model.name,
      input: { schema: RoleInput, default: { role: "coder", context: "anything" } },
      system: "Your role: {{role}}. What it is about: {{context}}.",
    });
    await coder.runText("hello");
    expect(model.shown[0]).toBe("system: Your role: coder. What it is about: anything.");
    await coder.runText("hello", { promptInput: { role: "coder", context: "a leak" } });
    expect(model.shown[0]).toBe("system: Your role: coder. What it is about: a leak.");
  });
});

describe("002, 4: Agent with Dynamic System Prompt (@state)", () => {
  it("shows the model in each turn how the state stands by then", async () => {
    const { ai, model } = openStage({ model: MODEL });
    type Mood = { userMood: string; topicFocus: string };
    const sentiment = ai.defineTool(
      { name: "sentiment", description: "Notes the mood.", inputSchema: z.string() },
      async (userMood, options) =>
        toolCall<Mood>(options)?.session.updateCustom((draft) => ({
          ...draft,
          topicFocus: draft?.topicFocus ?? "billing",
          userMood,
        })),
    );
    const support = defineAgent<Mood, z.infer<typeof RoleInput>>(ai, {
      name: "moodAgent",
      model: model.name,
      input: { schema: RoleInput, default: { role: "support", context: "" } },
      system: "{{role}}: mood {{@state.userMood}}, topic {{@state.topicFocus}}",
      tools: [sentiment],
      store: new MemoryStore(),
    });
    model.will([toolRequest("sentiment", "angry")], "I am sorry.");
    await support.runText("You charged me twice!", { sessionId: "s" });
    model.will([toolRequest("sentiment", "calm")], "Done.");
    await support.runText("Please refund.", { sessionId: "s" });
    expect(model.shown[0]).toBe("system: support: mood angry, topic billing");
    await support.runText("Thanks.", { sessionId: "s" });
    expect(model.shown[0]).toBe("system: support: mood calm, topic billing");
  });
});

describe("002, 5: Snapshot Behavior", () => {
  it("goes on after a restart with what was kept, under the prompt as it reads by then", async () => {
    const start = (store: SessionStore, system: string): ReturnType<typeof startOn> =>
      startOn(openStage({ model: MODEL }), store, system);
    const store = new MemoryStore();
    const before = start(store, "First edition for {{reader}}.");
    await before.agent.runText("hello", { sessionId: "s", promptInput: { reader: "Ada" } });
    const { state } = await before.agent.getLatestSnapshot("s");
    expect(state).toEqual({
      sessionId: "s",
      messages: [expect.objectContaining({ role: "user" }), expect.anything()],
      artifacts: [],
      promptInput: { reader: "Ada" },
    });
    await before.agent.close();

    const after = start(store, "Second edition for {{reader}}.");
    await after.agent.runText("again", { sessionId: "s" });
    expect(after.model.shown).toEqual([
      "system: Second edition for Ada.",
      "user: hello",
      "model: answer 1",
      "user: again",
    ]);
  });
});

function startOn({ ai, model }: ReturnType<typeof openStage>, store: SessionStore, system: string) {
  const input = { schema: z.object({ reader: z.string() }) };
  return {
    model,
    agent: defineAgent(ai, { name: "book", model: model.name, input, system, store }),
  };
}
