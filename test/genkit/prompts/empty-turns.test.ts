import { defineAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { textsOf } from "../../agent/agents.ts";
import { linesOf, scriptedGenkit } from "../scripted-model.ts";

const NOTHING = {
  finishReason: "failed",
  error: { status: "INVALID_ARGUMENT", message: expect.stringContaining("nothing to answer") },
};

describe("an input with neither a message nor an answer", () => {
  it("is refused where there is nothing to answer, and the model is not asked", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "a", system: "Hi.", store: new MemoryStore() });
    expect(await agent.run({}, { sessionId: "s" })).toMatchObject(NOTHING);
    model.says("Hello.");
    await agent.runText("hi", { sessionId: "s" });
    expect(await agent.run({}, { sessionId: "s" })).toMatchObject(NOTHING);
    expect(model.requests).toHaveLength(1);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["hi", "Hello."]);
  });

  it("tries a turn again that failed", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "a", system: "Hi.", store: new MemoryStore() });
    model.fails().says("Hello.");
    expect((await agent.runText("hi", { sessionId: "s" })).finishReason).toBe("failed");
    expect((await agent.run({}, { sessionId: "s" })).finishReason).toBe("stop");
    expect(linesOf(model.lastRequest)).toEqual(["system: Hi.", "user: hi"]);
  });

  it("is a turn where the prompt itself says something as the user", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "a", prompt: "Tell a joke." });
    model.says("Ha.");
    expect((await agent.run({})).finishReason).toBe("stop");
    expect(linesOf(model.lastRequest)).toEqual(["user: Tell a joke."]);
  });
});
