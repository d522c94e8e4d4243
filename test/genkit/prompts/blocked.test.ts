import { defineAgent } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { textsOf } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { collect } from "../../agent/authoring/turns.ts";
import { answer, linesOf, ScriptedModel, scriptedGenkit } from "../scripted-model.ts";

describe.each(STORES)("a generation that the model blocks, over %s", (_, openStore) => {
  it("ends its turn as blocked, in a completed snapshot that the session goes on from", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "careful", system: "Hi.", store: await openStore() });
    model
      .replies(() => ({
        finishReason: "blocked",
        finishMessage: "Not that.",
        usage: { inputTokens: 3 },
      }))
      .says("Gladly.");
    const { chunks, output } = agent.streamText("something bad", { sessionId: "s" });
    const turnEnds = (await collect(chunks)).flatMap(({ turnEnd }) => turnEnd ?? []);
    const blocked = await output;
    expect(turnEnds).toEqual([{ snapshotId: blocked.snapshotId, finishReason: "blocked" }]);
    expect(blocked.finishReason).toBe("blocked");
    expect(blocked).not.toHaveProperty("error");
    // What the user said is not passed off as an answer.
    expect(blocked).not.toHaveProperty("message");
    expect(await agent.getSnapshot(blocked.snapshotId!)).toMatchObject({
      status: "completed",
      finishReason: "blocked",
    });
    await agent.runText("something good", { sessionId: "s" });
    expect(linesOf(model.lastRequest)).toEqual([
      "system: Hi.",
      "user: something bad",
      "user: something good",
    ]);
  });
});

describe("a generation that the model blocks", () => {
  it("keeps the part of the answer that there is", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "careful", system: "Hi." });
    model.replies(() => answer([{ text: "Well," }], { finishReason: "blocked" }));
    const { finishReason, message, state } = await agent.runText("go");
    expect(finishReason).toBe("blocked");
    expect(message?.content).toEqual([{ text: "Well," }]);
    expect(textsOf(state)).toEqual(["go", "Well,"]);
  });

  it("leaves no tool request that nobody will answer", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "careful", system: "Hi." });
    const parts = [{ toolRequest: { name: "look" } }];
    model.replies(() => answer(parts, { finishReason: "blocked" })).says("ok");
    const { finishReason, state = {} } = await agent.runText("go");
    expect(finishReason).toBe("blocked");
    expect((await agent.runText("again", { state })).finishReason).toBe("stop");
  });

  it("keeps the rounds of tools before it", async () => {
    const { ai, model } = scriptedGenkit();
    const look = ai.defineTool({ name: "look", description: "Looks." }, async () => "dark");
    const agent = defineAgent(ai, { name: "careful", system: "Hi.", tools: [look] });
    model.asksFor({ name: "look", ref: "1" }).replies(() => ({ finishReason: "blocked" }));
    const { finishReason, state } = await agent.runText("go");
    expect(finishReason).toBe("blocked");
    expect(state?.messages?.map(({ role }) => role)).toEqual(["user", "model", "tool"]);
  });

  it("fails the turn when it is a tool's own", async () => {
    const { ai, model } = scriptedGenkit();
    const inner = new ScriptedModel(ai, "inner");
    const ask = ai.defineTool({ name: "ask", description: "Asks." }, async () => {
      await ai.generate({ model: "inner", prompt: "hi" });
    });
    const agent = defineAgent(ai, { name: "careful", system: "Hi.", tools: [ask] });
    model.asksFor({ name: "ask" });
    inner.replies(() => answer([{ text: "No." }], { finishReason: "blocked" }));
    expect(await agent.runText("go")).toMatchObject({
      finishReason: "failed",
      error: { message: expect.stringContaining("Generation blocked") },
    });
  });
});
