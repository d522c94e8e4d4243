import { defineGeneratorAgent, type Message } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { textOf, textsOf } from "../agents.ts";

// A stand-in for the framework of the documents: only what their examples use.
interface Generate {
  readonly messages: readonly Message[];
  readonly model: string;
  readonly onChunk: (chunk: { readonly content: readonly { readonly text: string }[] }) => void;
}

const ai = {
  defineAgent: defineGeneratorAgent,
  async generate({ messages, onChunk }: Generate) {
    const text = `answer ${messages.length}`;
    onChunk({ content: [{ text }] });
    const message: Message = { role: "model", content: [{ text }] };
    return { messages: [...messages, message], interrupts: [] as unknown[] };
  },
};

const googleAI = { model: (name: string) => name };

describe("the loops of the agent primitive, without Genkit", () => {
  it("run without a store: the client carries the history", async () => {
    const myAgent = ai.defineAgent(
      { name: "myAgent" },
      async function* ({ sendChunk, inputStream, init }) {
        let messages = init?.messages ?? [];
        for await (const input of inputStream) {
          const response = await ai.generate({
            messages: [...messages, input],
            model: googleAI.model("gemini-2.5-flash"),
            onChunk: (chunk) => sendChunk({ sessionId: init?.sessionId, chunk }),
          });
          messages = response.messages;
          if (response.interrupts.length > 0) {
            return { sessionId: init?.sessionId, messages };
          }
        }
        return { sessionId: init?.sessionId, messages, artifacts: [{ name: "report", parts: [] }] };
      },
    );
    const first = await myAgent.runText("hello");
    expect(textsOf(first.state)).toEqual(["hello", "answer 1"]);
    expect(first.artifacts).toEqual([{ name: "report", parts: [] }]);
    const second = await myAgent.runText("again", { state: first.state! });
    expect(textsOf(second.state)).toEqual(["hello", "answer 1", "again", "answer 3"]);
    const { chunks, output } = myAgent.streamText("streamed");
    const heard: string[] = [];
    for await (const chunk of chunks) if (chunk.modelChunk) heard.push(textOf(chunk.modelChunk));
    await output;
    expect(heard).toEqual(["answer 1"]);
  });

  it("run with a store: the history comes from it and is saved with each turn, one snapshot each", async () => {
    const persistentAgent = ai.defineAgent(
      { name: "persistentAgent", store: new MemoryStore() },
      async function* ({ sendChunk, inputStream, init }) {
        let messages = init?.messages ?? [];
        for await (const input of inputStream) {
          if (!input) break;
          const response = await ai.generate({
            messages: [...messages, input],
            model: googleAI.model("gemini-2.5-flash"),
            onChunk: (chunk) => sendChunk({ sessionId: init?.sessionId, chunk }),
          });
          messages = response.messages;
        }
        return { sessionId: init?.sessionId, messages };
      },
    );
    await persistentAgent.runText("hello", { sessionId: "s" });
    await persistentAgent.runText("again", { sessionId: "s" });
    const { state } = await persistentAgent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["hello", "answer 1", "again", "answer 3"]);
    expect(await persistentAgent.listSnapshots("s")).toHaveLength(2);
    const connection = persistentAgent.connect({ sessionId: "s" });
    for (const text of ["one", "two"]) {
      await connection.sendText(text);
      for await (const chunk of connection.receive()) if (chunk.turnEnd) break;
    }
    await connection.output();
    expect(textsOf((await persistentAgent.getLatestSnapshot("s")).state).slice(4)).toEqual([
      "one",
      "answer 5",
      "two",
      "answer 7",
    ]);
  });

  it("fail the turn they throw in, and end early when they return early", async () => {
    const throwing = ai.defineAgent(
      { name: "throwing", store: new MemoryStore() },
      async function* ({ inputStream }) {
        for await (const _ of inputStream) throw new Error("no model");
      },
    );
    expect(await throwing.runText("a", { sessionId: "s" })).toMatchObject({
      finishReason: "failed",
      error: { message: "no model" },
    });
    const leaving = ai.defineAgent(
      { name: "leaving", store: new MemoryStore() },
      async function* ({ inputStream, init }) {
        for await (const input of inputStream) return { messages: [...init.messages, input] };
      },
    );
    expect(await leaving.runText("a", { sessionId: "s" })).toMatchObject({ finishReason: "stop" });
    expect(textsOf((await leaving.getLatestSnapshot("s")).state)).toEqual(["a"]);
  });
});
