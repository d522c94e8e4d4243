import { generateMiddleware, type GenerateMiddleware, type MessageData } from "genkit";
import { defineAgent, definePromptAgent } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { textsOf } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { answer, linesOf, scriptedGenkit } from "../scripted-model.ts";

const RULE: MessageData = { role: "system", content: [{ text: "A rule." }] };
const REMINDER: MessageData = { role: "user", content: [{ text: "A reminder." }] };

// Each puts a message of its own before and after the others, in one of the places there are.
const atGenerate = generateMiddleware({ name: "atGenerate" }, () => ({
  generate: async (envelope, options, next) => {
    const { request } = envelope;
    const messages = [RULE, ...request.messages, REMINDER];
    return await next({ ...envelope, request: { ...request, messages } }, options);
  },
}));
const atModel = generateMiddleware({ name: "atModel" }, () => ({
  model: async (request, options, next) =>
    await next({ ...request, messages: [RULE, ...request.messages, REMINDER] }, options),
}));

const PLACES: readonly (readonly [name: string, use: GenerateMiddleware])[] = [
  ["around the rounds", atGenerate],
  ["around the model", atModel],
];

describe.each(STORES)("middleware that puts in messages, over %s", (_, openStore) => {
  it.each(PLACES)("%s, leaves none of them in the history", async (_name, use) => {
    const { ai, model } = scriptedGenkit();
    const look = ai.defineTool({ name: "look", description: "Looks." }, async () => "a cat");
    const agent = defineAgent(ai, {
      name: "watched",
      store: await openStore(),
      tools: [look],
      use: [use()],
    });
    model.asksFor({ name: "look", ref: "1" }).asksFor({ name: "look", ref: "2" }).says("A cat.");
    model.says("Bye.");
    expect((await agent.runText("look", { sessionId: "s" })).error).toBeUndefined();
    await agent.runText("bye", { sessionId: "s" });
    expect(linesOf(model.lastRequest)).toEqual([
      "system: A rule.",
      "user: look",
      "model: ",
      "tool: ",
      "model: ",
      "tool: ",
      "model: A cat.",
      "user: bye",
      "user: A reminder.",
    ]);
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["look", "", "", "", "", "A cat.", "bye", "Bye."]);
    expect(state?.messages?.some(({ role }) => role === "system")).toBe(false);
  });

  it("adds up what all calls of the model used", async () => {
    const { ai, model } = scriptedGenkit();
    const look = ai.defineTool({ name: "look", description: "Looks." }, async () => "a cat");
    const agent = defineAgent(ai, { name: "spender", store: await openStore(), tools: [look] });
    model.replies(
      () =>
        answer([{ toolRequest: { name: "look" } }], {
          usage: { inputTokens: 10, outputTokens: 1, custom: { cached: 4 } },
        }),
      () => answer([{ text: "A cat." }], { usage: { inputTokens: 20, outputTokens: 2 } }),
      () => answer([{ text: "Bye." }]),
    );
    const { snapshotId = "" } = await agent.runText("look", { sessionId: "s" });
    expect((await agent.getSnapshot(snapshotId)).usage).toMatchObject({
      inputTokens: 30,
      outputTokens: 3,
    });
  });
});

describe("middleware of others", () => {
  it("that tries again after a failure leaves one answer", async () => {
    const { ai, model } = scriptedGenkit();
    const look = ai.defineTool({ name: "look", description: "Looks." }, async () => "a cat");
    const retry = generateMiddleware({ name: "retry" }, () => ({
      generate: async (envelope, options, next) => {
        try {
          return await next(envelope, options);
        } catch {
          return await next(envelope, options);
        }
      },
    }));
    const agent = defineAgent(ai, { name: "stubborn", tools: [look], use: [retry()] });
    model.asksFor({ name: "look", ref: "1" }).fails().says("A cat.");
    const { state, error } = await agent.runText("look");
    expect(error).toBeUndefined();
    expect(state?.messages?.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
  });

  it("works inside of the turn: it may answer for a tool, and sees the tool's requests", async () => {
    const { ai, model } = scriptedGenkit();
    const ran: string[] = [];
    const look = ai.defineTool({ name: "look", description: "Looks." }, async () =>
      ran.push("look"),
    );
    const seen: unknown[] = [];
    const canned = generateMiddleware({ name: "canned" }, () => ({
      tool: async ({ toolRequest }) => {
        seen.push(toolRequest);
        return {
          toolResponse: { name: toolRequest.name, ref: toolRequest.ref!, output: "canned" },
        };
      },
    }));
    const agent = defineAgent(ai, { name: "fake", tools: [look], use: [canned()] });
    model.asksFor({ name: "look", ref: "1", input: {} }).says("ok");
    const { state } = await agent.runText("look");
    expect(ran).toEqual([]);
    expect(seen).toEqual([{ name: "look", ref: "1", input: {} }]);
    expect(state?.messages?.[2]?.content).toEqual([
      { toolResponse: { name: "look", ref: "1", output: "canned" } },
    ]);
  });

  it("comes from the prompt, or from the agent instead", async () => {
    const { ai, model } = scriptedGenkit();
    ai.definePrompt({ name: "ruled", use: [atModel()] });
    const own = generateMiddleware({ name: "own" }, () => ({
      model: async (request, options, next) => {
        const messages = [{ role: "system" as const, content: [{ text: "Own." }] }];
        return await next({ ...request, messages: [...messages, ...request.messages] }, options);
      },
    }));
    const first = await definePromptAgent(ai, { name: "first", prompt: "ruled" });
    const second = await definePromptAgent(ai, { name: "second", prompt: "ruled", use: [own()] });
    model.says("1", "2");
    await first.runText("hi");
    await second.runText("hi");
    expect(model.requests.map(linesOf)).toEqual([
      ["system: A rule.", "user: hi", "user: A reminder."],
      ["system: Own.", "user: hi"],
    ]);
  });
});
