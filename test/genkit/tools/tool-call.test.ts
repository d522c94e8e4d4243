import { currentSession, currentTurn, TurnkeepError } from "turnkeep";
import { defineAgent, toolCall, type ToolCall } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { STORES } from "../../agent/authoring/stores.ts";
import { collect } from "../../agent/authoring/turns.ts";
import { scriptedGenkit } from "../scripted-model.ts";
import { defineTool, responsesIn, workshop } from "./workshop.ts";

describe.each(STORES)("a tool over %s", (_, openStore) => {
  it("sees the session, the turn, a signal and a key of its own", async () => {
    const calls: (ToolCall | undefined)[] = [];
    const { agent, model } = workshop({
      store: await openStore(),
      tools: { look: (_input, options) => void calls.push(toolCall(options)) },
    });
    model.asksFor({ name: "look", input: 1 }, { name: "look", input: 1 }).says("ok");
    const { snapshotId } = await agent.runText("hi", { sessionId: "s" });
    expect(calls.map((call) => call?.session.sessionId)).toEqual(["s", "s"]);
    expect(calls.map((call) => call?.turn.snapshotId)).toEqual([snapshotId, snapshotId]);
    expect(calls.every((call) => call?.signal instanceof AbortSignal)).toBe(true);
    expect(new Set(calls.map((call) => call?.idempotencyKey)).size).toBe(2);
  });

  it("is part of the current turn, also deep inside of what it calls", async () => {
    const seen: unknown[] = [];
    const deep = async (): Promise<void> => {
      await Promise.resolve();
      const { snapshotId, turnIndex, tenant } = currentTurn() ?? {};
      seen.push({ snapshotId, turnIndex, tenant });
    };
    const { agent, model } = workshop({ store: await openStore(), tools: { look: deep } });
    model.asksFor({ name: "look" }).says("ok");
    const { snapshotId } = await agent.runText("hi", { tenant: "acme" });
    expect(seen).toEqual([{ snapshotId, turnIndex: 0, tenant: "acme" }]);
  });

  it("changes the state in every way there is, and the change is streamed and kept", async () => {
    const { agent, model, ai } = workshop({
      store: await openStore(),
      tools: {
        own: (_input, options) => {
          toolCall<{ seen: string[] }>(options)?.session.setCustom({ seen: ["own"] });
        },
        ambient: () => {
          currentSession<{ seen: string[] }>()?.updateCustom(
            ({ seen }) => void seen.push("ambient"),
          );
        },
        genkits: () => {
          const session = ai.currentSession<{ seen: string[] }>();
          session.updateCustom((custom) => ({ seen: [...(custom?.seen ?? []), "genkit's"] }));
          session.addArtifacts([{ name: "note", parts: [{ text: "hi" }] }]);
        },
      },
    });
    model
      .asksFor({ name: "own" })
      .asksFor({ name: "ambient" })
      .asksFor({ name: "genkits" })
      .says("ok");
    const { chunks, output } = agent.streamText("hi", { sessionId: "s" });
    const seen = await collect(chunks);
    expect(await output).toMatchObject({ finishReason: "stop", artifacts: [{ name: "note" }] });
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.custom).toEqual({ seen: ["own", "ambient", "genkit's"] });
    expect(seen.filter(({ customPatch }) => customPatch)).toHaveLength(3);
    expect(seen.filter(({ artifact }) => artifact)).toHaveLength(1);
  });
});

describe("a tool", () => {
  it("reads Genkit's session as Genkit's tools do", async () => {
    const seen: unknown[] = [];
    const { agent, model, ai } = workshop({
      tools: {
        look: () => {
          const session = ai.currentSession();
          seen.push(session.sessionId, session.getMessages(), session.getArtifacts());
          seen.push(session.getState(), session.getCustom());
        },
      },
    });
    model.asksFor({ name: "look" }).says("ok");
    const artifacts = [{ name: "a", parts: [{ text: "x" }] }];
    const { sessionId } = await agent.runText("hi", { state: { custom: { n: 1 }, artifacts } });
    const messages = [{ role: "user", content: [{ text: "hi" }] }];
    const state = { sessionId, custom: { n: 1 }, messages, artifacts };
    expect(seen).toEqual([sessionId, messages, artifacts, state, { n: 1 }]);
  });

  it("sees who asks, and nothing of an earlier asker", async () => {
    const seen: unknown[] = [];
    const { agent, model, ai } = workshop({
      tools: { look: () => void seen.push(ai.currentContext()) },
    });
    for (const context of [{ auth: { name: "Ann" } }, { auth: { name: "Bob" } }, undefined]) {
      model.asksFor({ name: "look" }).says("ok");
      await agent.runText("hi", context && { context });
    }
    expect(seen.slice(0, 2)).toEqual([{ auth: { name: "Ann" } }, { auth: { name: "Bob" } }]);
    expect(seen[2] ?? {}).toEqual({});
  });

  it("called by nobody's agent has no call", async () => {
    const { ai, model } = scriptedGenkit();
    const calls: unknown[] = [];
    const look = defineTool(ai, { name: "look" }, (_input, options) => {
      calls.push(toolCall(options), currentSession());
      return 1;
    });
    await look({});
    model.asksFor({ name: "look" }).says("ok");
    await ai.generate({ prompt: "hi", tools: [look] });
    expect(calls).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("is known by its name, and under the name that models know it by", async () => {
    const { ai, model } = scriptedGenkit();
    const ran: string[] = [];
    defineTool(ai, { name: "kit/hammer" }, () => void ran.push("hammer"));
    defineTool(ai, { name: "saw" }, () => void ran.push("saw"));
    const agent = defineAgent(ai, { name: "smith", system: "Hi.", tools: ["kit/hammer", "saw"] });
    model.asksFor({ name: "hammer" }, { name: "saw" }).says("ok");
    expect(await agent.runText("hi")).toMatchObject({ finishReason: "stop" });
    expect(ran.toSorted()).toEqual(["hammer", "saw"]);
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["hammer", "saw"]);
  });

  it("that the model made up fails the turn", async () => {
    const { agent, model } = workshop({ tools: { look: () => 1 } });
    model.asksFor({ name: "nothing" });
    expect(await agent.runText("hi")).toMatchObject({
      finishReason: "failed",
      error: { status: "NOT_FOUND", message: expect.stringContaining("nothing") },
    });
  });

  it("stops by Genkit's signal, which is the turn's", async () => {
    const signals: unknown[] = [];
    const { agent, model } = workshop({
      tools: {
        look: (_input, options) => {
          const { abortSignal } = options as { readonly abortSignal?: AbortSignal };
          signals.push(abortSignal === toolCall(options)?.signal, abortSignal?.aborted);
        },
      },
    });
    model.asksFor({ name: "look" }).says("ok");
    await agent.runText("hi");
    expect(signals).toEqual([true, false]);
  });

  it("that fails with a status fails the turn with it", async () => {
    const { agent, model } = workshop({
      tools: {
        look: () => {
          throw new TurnkeepError("UNAVAILABLE", "Too dark.", { details: { lamp: "off" } });
        },
      },
    });
    model.asksFor({ name: "look" });
    expect((await agent.runText("hi")).error).toMatchObject({
      status: "UNAVAILABLE",
      message: "Too dark.",
      details: { lamp: "off" },
    });
  });

  it("may take journaled steps of its own", async () => {
    const { agent, model } = workshop({
      store: new MemoryStore(),
      tools: {
        look: async (_input, options) =>
          await toolCall(options)!.turn.step({ name: "focus", input: null }, () => "sharp"),
      },
    });
    model.asksFor({ name: "look", ref: "1" }).says("ok");
    await agent.runText("hi");
    expect(responsesIn(model.lastRequest.messages.at(-1))).toEqual([["look", "1", "sharp"]]);
  });

  it("may be a prompt", async () => {
    const { ai, model } = scriptedGenkit();
    const recipe = ai.definePrompt({ name: "recipe", prompt: "Cook {{dish}}." });
    const agent = defineAgent(ai, { name: "cook", system: "Cook.", tools: [recipe] });
    model.asksFor({ name: "recipe", input: { dish: "soup" } }).says("ok");
    expect(await agent.runText("hi")).toMatchObject({ finishReason: "stop" });
    expect(JSON.stringify(model.lastRequest.messages)).toContain("Cook soup.");
  });
});
