import type { Part as GenkitPart } from "genkit";
import { genkit } from "genkit/beta";
import type { Part } from "turnkeep";
import { defineAgent } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { STORES } from "../../agent/authoring/stores.ts";
import { collect } from "../../agent/authoring/turns.ts";
import { answer, linesOf, ScriptedModel, scriptedGenkit } from "../scripted-model.ts";

const PARTS: readonly Part[] = [
  { text: "Look: " },
  { text: "" },
  { text: "signed", metadata: { signature: "abc" } },
  { media: { url: "data:image/png;base64,AA==", contentType: "image/png" } },
  { media: { url: "https://example.test/a.mp3" } },
  { data: { rows: [1, 2, { deep: null }] } },
  { custom: { codeExecution: { language: "py" } } },
  { reasoning: "Let me think.", metadata: { thoughtSignature: "xyz" } },
  { text: "with data", data: { n: 1 }, custom: { k: "v" } },
];

describe.each(STORES)("parts of every kind over %s", (_, openStore) => {
  it("come in and go out as they are, turn after turn", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "mirror", store: await openStore(), system: "Mirror." });
    const message = { role: "user" as const, content: PARTS };
    for (let turn = 0; turn < 2; turn += 1) {
      model.saysParts(...(PARTS as unknown as GenkitPart[]));
      const output = await agent.run({ message }, { sessionId: "s" });
      expect(output.error).toBeUndefined();
      expect(output.message).toEqual({ role: "model", content: PARTS });
    }
    const reply = { role: "model", content: PARTS };
    expect(model.lastRequest.messages.slice(1)).toEqual([message, reply, message]);
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.messages).toEqual([message, reply, message, reply]);
  });
});

describe("a resource in a message", () => {
  it("is looked up for the model, while the session keeps its name", async () => {
    const ai = genkit({ model: "scripted" });
    const model = new ScriptedModel(ai);
    ai.defineResource({ name: "manual", uri: "manual://tea" }, async () => ({
      content: [{ text: "Boil water." }],
    }));
    const agent = defineAgent(ai, { name: "reader", system: "Read." });
    const content = [{ text: "Read " }, { resource: { uri: "manual://tea" } }];
    model.says("Done.");
    const { state, error } = await agent.run({ message: { role: "user", content } });
    expect(error).toBeUndefined();
    expect(linesOf(model.lastRequest)).toEqual(["system: Read.", "user: Read Boil water."]);
    expect(state?.messages?.[0]).toEqual({ role: "user", content });
  });

  it("fails the turn when nobody knows it", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "reader", system: "Read." });
    const content = [{ resource: { uri: "manual://tea" } }];
    expect(await agent.run({ message: { role: "user", content } })).toMatchObject({
      finishReason: "failed",
      error: { status: "NOT_FOUND" },
    });
    expect(model.requests).toEqual([]);
  });
});

describe("what a model streams", () => {
  it("is passed on with its role and the message it belongs to, the answers of tools among it", async () => {
    const { ai, model } = scriptedGenkit();
    const look = ai.defineTool({ name: "look", description: "Looks." }, async () => "a cat");
    const agent = defineAgent(ai, { name: "streamer", system: "Look.", tools: [look] });
    model
      .replies(({ sendChunk }) => {
        sendChunk({ content: [{ reasoning: "Hm." }] });
        sendChunk({ content: [{ text: "I look." }], custom: { raw: 1 } });
        return answer([{ text: "I look." }, { toolRequest: { name: "look", ref: "1" } }]);
      })
      .streams("It is ", "a cat.");
    const { chunks, output } = agent.streamText("look");
    const seen = (await collect(chunks)).flatMap(({ modelChunk }) => modelChunk ?? []);
    expect(seen).toEqual([
      { role: "model", index: 0, content: [{ reasoning: "Hm." }] },
      { role: "model", index: 0, content: [{ text: "I look." }], custom: { raw: 1 } },
      {
        role: "tool",
        index: 1,
        content: [{ toolResponse: { name: "look", ref: "1", output: "a cat" } }],
      },
      { role: "model", index: 2, content: [{ text: "It is " }] },
      { role: "model", index: 2, content: [{ text: "a cat." }] },
    ]);
    expect((await output).message).toEqual({ role: "model", content: [{ text: "It is a cat." }] });
  });

  it("stays with those who heard it when the model then fails, and is not kept", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "streamer", system: "Talk." });
    model.replies(({ sendChunk }) => {
      sendChunk({ content: [{ text: "I am about to" }] });
      throw new Error("The line broke.");
    });
    const { chunks, output } = agent.streamText("go");
    const seen = (await collect(chunks)).flatMap(({ modelChunk }) => modelChunk ?? []);
    expect(seen).toHaveLength(1);
    const { state, error } = await output;
    expect(error?.message).toBe("The line broke.");
    expect(state?.messages).toEqual([{ role: "user", content: [{ text: "go" }] }]);
  });

  it("ends when the turn is aborted", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "streamer", system: "Talk." });
    const stop = new AbortController();
    let heard: AbortSignal | undefined;
    model.hangs(({ sendChunk, signal }) => {
      heard = signal;
      sendChunk({ content: [{ text: "on and on" }] });
    });
    const { chunks, output } = agent.streamText("go", { signal: stop.signal });
    for await (const { modelChunk } of chunks) if (modelChunk) stop.abort();
    expect((await output).finishReason).toBe("aborted");
    expect(heard?.aborted).toBe(true);
  });
});

describe("how a model's answer ended", () => {
  it.each(["stop", "length", "other", "unknown"] as const)("is told: %s", async (finishReason) => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "ender", system: "End." });
    model.replies(() => answer([{ text: "so" }], { finishReason }));
    expect((await agent.runText("go")).finishReason).toBe(finishReason);
  });

  it("fails the turn when there is none", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "ender", system: "End." });
    model.replies(
      () => ({ finishReason: "stop" }),
      () => answer([], { finishReason: "aborted" }),
    );
    expect((await agent.runText("go")).finishReason).toBe("failed");
    // A model cannot say of a turn that it was aborted.
    expect((await agent.runText("go")).finishReason).not.toBe("aborted");
  });
});
