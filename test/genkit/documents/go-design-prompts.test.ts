import { z } from "genkit/beta";
import { defineCustomAgent, definePromptAgent, toolCall } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { textsOf } from "../../agent/agents.ts";
import { openStage, toolRequest } from "./document-model.ts";

// Document 002, the design of agents for Genkit in Go: options and prompts, its sections 1 to 3.

describe("002, 1: API Surface", () => {
  it("streams status updates of a type of one's own", async () => {
    const { ai } = openStage();
    // Only custom agents have one: an agent that is a prompt has nobody who would send it.
    const cook = defineCustomAgent<number, { doing: string }>(
      ai,
      { name: "cook" },
      async ({ session, respond }) => {
        await session.run(() => {
          respond.status({ doing: "chopping" });
          // @ts-expect-error: a status of another type.
          respond.status("boiling");
        });
      },
    );
    const { chunks, output } = cook.streamText("soup");
    const seen: unknown[] = [];
    for await (const { status } of chunks) if (status !== undefined) seen.push(status);
    await output;
    expect(seen).toEqual([{ doing: "chopping" }, "boiling"]);
  });
});

describe("002, 2: Available Options", () => {
  it("takes a prompt with its input, generation options and a store, flat in one object", async () => {
    const { ai, model } = openStage();
    const add = ai.defineTool(
      {
        name: "add",
        description: "Adds.",
        inputSchema: z.object({ a: z.number(), b: z.number() }),
        outputSchema: z.number(),
      },
      async ({ a, b }) => a + b,
    );
    const prompt = ai.definePrompt({
      name: "sums",
      input: { schema: z.object({ tone: z.string() }) },
      system: "Answer in a {{tone}} tone.",
    });
    const agent = await definePromptAgent(ai, {
      name: "myAgent",
      prompt,
      input: { tone: "dry" },
      model: model.name,
      config: { temperature: 0.1 },
      tools: [add],
      output: { schema: z.object({ sum: z.number() }) },
      store: new MemoryStore(),
    });
    model.will([toolRequest("add", { a: 2, b: 3 })], '{"sum": 5}');
    const { output } = await agent.runText("2 + 3?");
    // Typed by the schema.
    const sum: number | undefined = output?.sum;
    expect(sum).toBe(5);
    const [request] = model.requests;
    expect(model.shown[0]).toContain("Answer in a dry tone.");
    expect(request?.config).toMatchObject({ temperature: 0.1 });
    expect(request?.tools?.map(({ name }) => name)).toEqual(["add"]);
  });

  it("keeps a snapshot only when a rule says so", async () => {
    const { ai, model } = openStage();
    ai.definePrompt({ name: "chat", model: model.name });
    const chat = await definePromptAgent(ai, {
      name: "chat",
      store: new MemoryStore(),
      snapshotWhen: ({ event, state, turnIndex }) =>
        event === "turnEnd" && turnIndex === 1 && state.messages?.length === 4,
    });
    const connection = chat.connect({ sessionId: "s" });
    for (const text of ["one", "two", "three"]) await connection.sendText(text);
    await connection.output();
    const kept = await chat.getLatestSnapshot("s");
    expect(textsOf(kept.state)).toEqual(["one", "answer 1", "two", "answer 3"]);
  });

  it("holds the input to the prompt's type", async () => {
    const { ai, model } = openStage();
    const prompt = ai.definePrompt({
      name: "role",
      model: model.name,
      input: { schema: z.object({ job: z.string() }) },
      system: "You work in {{job}}.",
    });
    await definePromptAgent(ai, { name: "good", prompt, input: { job: "coding" } });
    const wrong = definePromptAgent(ai, {
      name: "bad",
      prompt,
      // @ts-expect-error: not what the prompt asks for.
      input: { hobby: "chess" },
    });
    await expect(wrong).rejects.toMatchObject({ status: "INVALID_ARGUMENT" });
  });
});

describe("002, 3: Prompt Integration", () => {
  it("renders the whole prompt anew in each turn, from the input and the state of that moment", async () => {
    const { ai, model } = openStage();
    const noteMood = ai.defineTool(
      { name: "noteMood", description: "Notes a mood.", inputSchema: z.string() },
      async (mood, options) => toolCall<{ mood: string }>(options)?.session.setCustom({ mood }),
    );
    // The document's variable is `role`, which a prompt of Genkit's takes for its helper of that name.
    ai.definePrompt({
      name: "roleAgent",
      model: model.name,
      tools: [noteMood],
      input: { schema: z.object({ job: z.string() }) },
      system: "You help with {{job}}. The user is {{@state.mood}}.",
    });
    const agent = await definePromptAgent<{ mood: string }>(ai, {
      name: "roleAgent",
      input: { job: "coding" },
      store: new MemoryStore(),
    });
    model.will([toolRequest("noteMood", "cross")], "I see.");
    await agent.runText("it fails again!", { sessionId: "s" });
    expect(model.shown[0]).toBe("system: You help with coding. The user is .");
    await agent.runText("and now?", { sessionId: "s" });
    expect(model.shown[0]).toBe("system: You help with coding. The user is cross.");
  });

  it("keeps the talk, the state and the input, and nothing that was rendered", async () => {
    const { ai, model } = openStage();
    ai.definePrompt({
      name: "tutor",
      model: model.name,
      input: { schema: z.object({ topic: z.string() }) },
      system: "Teach {{topic}}.",
      prompt: "Stay with {{topic}}.",
    });
    const input = { topic: "algebra" };
    const tutor = await definePromptAgent(ai, { name: "tutor", input, store: new MemoryStore() });
    await tutor.runText("hello", { sessionId: "s" });
    expect(model.shown).toEqual([
      "system: Teach algebra.",
      "user: hello",
      "user: Stay with algebra.",
    ]);
    const { state } = await tutor.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["hello", "answer 2"]);
    expect(state?.promptInput).toEqual(input);
  });

  it("lets a session bring the input along that the agent has not, or instead of the agent's", async () => {
    const { ai, model } = openStage();
    ai.definePrompt({
      name: "tutor",
      model: model.name,
      input: { schema: z.object({ topic: z.string() }) },
      system: "Teach {{topic}}.",
    });
    const prompt = "tutor";
    const open = await definePromptAgent(ai, { name: "open", prompt, store: new MemoryStore() });
    const missing = await open.runText("hello");
    expect(missing).toMatchObject({
      finishReason: "failed",
      error: { status: "INVALID_ARGUMENT" },
    });
    await open.runText("hello", { sessionId: "s", promptInput: { topic: "botany" } });
    expect(model.shown[0]).toBe("system: Teach botany.");
    // It counts for the session from then on.
    await open.runText("go on", { sessionId: "s" });
    expect(model.shown[0]).toBe("system: Teach botany.");

    const input = { topic: "algebra" };
    const store = new MemoryStore();
    const filled = await definePromptAgent(ai, { name: "filled", prompt, input, store });
    await filled.runText("hello", { promptInput: { topic: "music" } });
    expect(model.shown[0]).toBe("system: Teach music.");
    await filled.runText("hello");
    expect(model.shown[0]).toBe("system: Teach algebra.");
  });

  it("prefers what the agent says to what its prompt says", async () => {
    const { ai, model } = openStage({ model: "googleai/gemini-2.5-pro" });
    ai.definePrompt({
      name: "myPrompt",
      model: "googleai/gemini-flash-latest",
      config: { temperature: 1, topK: 5 },
      system: "Be kind.",
    });
    const agent = await definePromptAgent(ai, {
      name: "myAgent",
      prompt: "myPrompt",
      model: model.name,
      config: { temperature: 0 },
    });
    expect((await agent.runText("hello")).finishReason).toBe("stop");
    expect(model.shown[0]).toBe("system: Be kind.");
    expect(model.requests[0]?.config).toMatchObject({ temperature: 0 });
  });
});
