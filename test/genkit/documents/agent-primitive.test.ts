import { z } from "genkit/beta";
import { defineGeneratorAgent } from "turnkeep";
import { fromGenkitChunk, fromGenkitMessages, toGenkitMessages } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { textOf, textsOf } from "../../agent/agents.ts";
import { openStage, toolRequest } from "./document-model.ts";

// Document 003, the proposal of an agent primitive: loops over a stream of inputs, with Genkit's generate inside. Such an agent is not known to
// Genkit; one that is to be is defined by `defineCustomAgent` of `turnkeep/genkit`.

const MODEL = "googleai/gemini-2.5-flash";

describe("003, 1: defineAgent", () => {
  it("leaves the loop to its author", async () => {
    const mute = defineGeneratorAgent(
      { name: "myAgent", store: new MemoryStore() },
      async function* ({ inputStream }) {
        for await (const _ of inputStream) yield { status: "nothing to say" };
      },
    );
    const { chunks, output } = mute.streamText("hello");
    const seen: unknown[] = [];
    for await (const { status } of chunks) if (status !== undefined) seen.push(status);
    expect(seen).toEqual(["nothing to say"]);
    expect((await output).finishReason).toBe("stop");
  });
});

describe("003, 3: Basic Example (Manual Loop)", () => {
  function defineBasic({ ai, model }: ReturnType<typeof openStage>, tools: "pay"[] = []) {
    return defineGeneratorAgent(
      { name: "myAgent" },
      async function* ({ sendChunk, inputStream, init }) {
        let { messages } = init;
        for await (const input of inputStream) {
          const response = await ai.generate({
            model: model.name,
            messages: toGenkitMessages([...messages, input]),
            tools,
            onChunk: (chunk) => sendChunk({ chunk: fromGenkitChunk(chunk) }),
          });
          messages = fromGenkitMessages(response.messages);
          if (response.interrupts.length > 0) return { messages };
        }
        return { messages, artifacts: [{ name: "report", parts: [] }] };
      },
    );
  }

  it("answers, streams, and hands the client the state it brings back next time", async () => {
    const stage = openStage({ model: MODEL });
    const agent = defineBasic(stage);
    const { chunks, output } = agent.streamText("hello");
    const heard: string[] = [];
    for await (const { modelChunk } of chunks) if (modelChunk) heard.push(textOf(modelChunk));
    expect(heard).toEqual(["answer ", "1"]);
    const first = await output;
    expect(first.artifacts).toEqual([{ name: "report", parts: [] }]);
    // The identity is part of the state, so no chunk has to carry it.
    expect(first.state?.sessionId).toBe(first.sessionId);

    const second = await agent.runText("again", { state: first.state! });
    expect(textsOf(second.state)).toEqual(["hello", "answer 1", "again", "answer 3"]);
    expect(second.sessionId).toBe(first.sessionId);
    await expect(agent.runText("hi", { sessionId: "s" })).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
    });
  });

  it("returns early when a tool waits for a person", async () => {
    const stage = openStage({ model: MODEL });
    stage.ai.defineInterrupt({ name: "pay", description: "Asks.", inputSchema: z.object({}) });
    const agent = defineBasic(stage, ["pay"]);
    stage.model.will([toolRequest("pay", {})]);
    const { state, artifacts } = await agent.runText("pay it");
    expect(artifacts).toBeUndefined();
    const [request] = state?.messages?.at(-1)?.content ?? [];
    expect(request?.toolRequest?.name).toBe("pay");
    expect(request?.metadata).toHaveProperty("interrupt");
  });
});

describe("003, 3: Example with Store (Server-Side Persistence)", () => {
  it("finds the history in the store and saves it on return", async () => {
    const { ai, model } = openStage({ model: MODEL });
    const agent = defineGeneratorAgent(
      { name: "persistentAgent", store: new MemoryStore() },
      async function* ({ sendChunk, inputStream, init }) {
        let { messages } = init;
        for await (const input of inputStream) {
          const response = await ai.generate({
            model: model.name,
            messages: toGenkitMessages([...messages, input]),
            onChunk: (chunk) => sendChunk({ chunk: fromGenkitChunk(chunk) }),
          });
          messages = fromGenkitMessages(response.messages);
        }
        return { messages };
      },
    );
    const first = await agent.runText("hello", { sessionId: "s" });
    expect(first.state).toBeUndefined();
    await agent.runText("again", { sessionId: "s" });
    expect(model.shown).toEqual(["user: hello", "model: answer 1", "user: again"]);
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["hello", "answer 1", "again", "answer 3"]);
  });
});

describe("003, 4: Schemas", () => {
  it("starts with messages, state and artifacts, and ends with them", async () => {
    const seen: unknown[] = [];
    const agent = defineGeneratorAgent<number>(
      { name: "counter" },
      async function* ({ inputStream, init }) {
        seen.push(init.messages.length, init.artifacts.length, init.state);
        const messages = [...init.messages];
        for await (const input of inputStream) messages.push(input);
        const state = (init.state ?? 0) + 1;
        return { messages, state, artifacts: [{ name: `${state}`, parts: [] }] };
      },
    );
    const first = await agent.runText("a");
    const { chunks, output } = agent.streamText("b", { state: first.state! });
    // What changed in the state is streamed as patches.
    const patches: unknown[] = [];
    for await (const { customPatch } of chunks) if (customPatch) patches.push(...customPatch);
    expect(patches).toEqual([{ op: "replace", path: "", value: 2 }]);
    const { state } = await output;
    expect(seen).toEqual([0, 0, undefined, 1, 1, 1]);
    expect(state?.custom).toBe(2);
    expect(state?.artifacts).toEqual([{ name: "2", parts: [] }]);
    expect(textsOf(state as never)).toEqual(["a", "b"]);
  });
});
