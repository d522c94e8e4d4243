import { type GenerateOptions, type Genkit, ToolInterruptError } from "genkit";
import type { LocalAgent, SessionStore } from "turnkeep";
import {
  defineCustomAgent,
  defineGeneratorAgent,
  fromGenkitMessages,
  journalTools,
  toGenkitMessages,
  toolCall,
  type ToolCall,
} from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { STORES } from "../../agent/authoring/stores.ts";
import { chunksOf } from "../../agent/authoring/turns.ts";
import { databaseFile, openShared } from "../../agent/life/stores.ts";
import { user } from "../../agent/agents.ts";
import { type ScriptedModel, scriptedGenkit } from "../scripted-model.ts";
import { defineTool, type ToolWork } from "./workshop.ts";

/** An agent with a loop of its own, whose handler asks the model by `ai.generate`. */
function custom(
  tools: Readonly<Record<string, ToolWork>>,
  { store, use }: { readonly store?: SessionStore; readonly use?: GenerateOptions["use"] } = {},
): { readonly ai: Genkit; readonly model: ScriptedModel; readonly agent: LocalAgent } {
  const { ai, model } = scriptedGenkit();
  const defined = Object.entries(tools).map(([name, work]) => defineTool(ai, { name }, work));
  const agent = defineCustomAgent(
    ai,
    { name: "custom", ...(store && { store }), limits: { leaseMs: 5000 } },
    async ({ session }) => {
      await session.run(async (_input, { signal }) => {
        const { message } = await ai.generate({
          messages: toGenkitMessages(session.messages()),
          tools: defined,
          abortSignal: signal,
          ...(use && { use }),
        });
        if (message) session.addMessages(...fromGenkitMessages([message.toJSON()]));
      });
    },
  );
  onTestFinished(() => agent.close());
  return { ai, model, agent };
}

describe.each(STORES)("a tool under ai.generate of a custom agent, over %s", (_, openStore) => {
  it.each([
    ["by itself", []],
    ["with journalTools", [journalTools()]],
  ])("%s sees the session, the turn, a signal and a key of its own", async (_how, use) => {
    const calls: (ToolCall | undefined)[] = [];
    const store = await openStore();
    const { agent, model } = custom(
      {
        look: (_input, options) => {
          calls.push(toolCall(options), toolCall(options));
          toolCall(options)?.respond.status("looking");
        },
      },
      { store, use },
    );
    model.asksFor({ name: "look", input: 1 }, { name: "look", input: 1 }).says("ok");
    const seen = await chunksOf(agent, "hi", { sessionId: "s" });
    const { snapshotId } = await agent.getLatestSnapshot("s");
    expect(calls.map((call) => call?.session.sessionId)).toEqual(["s", "s", "s", "s"]);
    expect(calls.every((call) => call?.turn.snapshotId === snapshotId)).toBe(true);
    expect(calls.every((call) => call?.signal instanceof AbortSignal)).toBe(true);
    const keys = calls.map((call) => call?.idempotencyKey);
    expect([keys[0], keys[2]]).toEqual([keys[1], keys[3]]);
    expect(new Set(keys).size).toBe(2);
    expect(seen.filter(({ status }) => status)).toHaveLength(2);
  });
});

describe("a tool under ai.generate of a custom agent", () => {
  it.each([
    ["is called again with the same key", [], 2],
    ["is not called again when it was journaled", [journalTools()], 1],
  ])("%s when another process goes on with the turn", async (_, use, times) => {
    const file = databaseFile();
    const keys: unknown[] = [];
    const look: ToolWork = (_input, options) => void keys.push(toolCall(options)?.idempotencyKey);
    const first = custom({ look }, { store: await openShared(file), use });
    const asked = new Promise<void>((resolve) =>
      first.model.asksFor({ name: "look", input: 1 }).hangs(() => resolve()),
    );
    const { snapshotId } = await first.agent.detach(user("hi"), { sessionId: "s" });
    await asked;
    await first.agent.close();
    const second = custom({ look }, { store: await openShared(file), use });
    second.model.asksFor({ name: "look", input: 1 }).says("ok");
    expect(await second.agent.waitFor(snapshotId)).toMatchObject({ status: "completed" });
    expect(keys).toHaveLength(times);
    expect(new Set(keys).size).toBe(1);
  });

  it("answers in the order of the requests with journalTools, and may interrupt", async () => {
    const { agent, model } = custom(
      {
        slow: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return "slow";
        },
        quick: () => "quick",
        ask: () => {
          throw new ToolInterruptError({ question: "May I?" });
        },
      },
      { use: [journalTools()] },
    );
    model.asksFor({ name: "slow" }, { name: "quick" }).asksFor({ name: "ask" });
    const { message } = await agent.runText("hi");
    expect(message?.content[0]?.metadata).toEqual({ interrupt: { question: "May I?" } });
    const answers = model.lastRequest.messages.at(-1)?.content;
    expect(answers?.map(({ toolResponse }) => toolResponse?.output)).toEqual(["slow", "quick"]);
  });
});

describe("a tool under ai.generate of a generator agent", () => {
  it("sees the turn, and a key of its own for each call", async () => {
    const { ai, model } = scriptedGenkit();
    const calls: (ToolCall | undefined)[] = [];
    const look = defineTool(ai, { name: "look" }, (_input, options) => {
      calls.push(toolCall(options));
      toolCall(options)?.respond.status("looking");
    });
    const store = new MemoryStore();
    const agent = defineGeneratorAgent(ai, { name: "loop", store }, async function* (context) {
      for await (const input of context.inputStream) {
        const messages = [...context.init.messages, input];
        await ai.generate({ messages, tools: [look] });
        yield { status: "between" };
        const { message } = await ai.generate({ messages, tools: [look] });
        return { messages: [...messages, message!.toJSON()] };
      }
    });
    onTestFinished(() => agent.close());
    model.asksFor({ name: "look" }).says("one").asksFor({ name: "look" }).says("two");
    const seen = await chunksOf(agent, "hi", { sessionId: "s" });
    expect(calls.map((call) => call?.session.sessionId)).toEqual(["s", "s"]);
    expect(new Set(calls.map((call) => call?.idempotencyKey)).size).toBe(2);
    expect(seen.map(({ status }) => status)).toEqual(["looking", "between", "looking"]);
  });
});

describe("a tool that a tool of an agent calls", () => {
  it("sees the turn, and a key that belongs to the call above", async () => {
    const keys: (string | undefined)[] = [];
    const { ai, agent, model } = custom(
      {
        outer: async (_input, options) => {
          keys.push(toolCall(options)?.idempotencyKey);
          await ai.generate({ prompt: "go", tools: ["inner"] });
        },
        inner: (_input, options) => void keys.push(toolCall(options)?.idempotencyKey),
      },
      { use: [journalTools()] },
    );
    model.asksFor({ name: "outer" }).asksFor({ name: "inner" }).says("inner done", "outer done");
    await agent.runText("hi");
    const [outer, inner] = keys;
    expect(inner).toMatch(new RegExp(`^${outer}\\..+`));
  });
});

describe("journalTools", () => {
  it("does nothing outside of a turn", async () => {
    const { ai, model } = scriptedGenkit();
    const look = defineTool(ai, { name: "look" }, () => "seen");
    model.asksFor({ name: "look" }).says("ok");
    const { text } = await ai.generate({ prompt: "hi", tools: [look], use: [journalTools()] });
    expect(text).toBe("ok");
  });
});
