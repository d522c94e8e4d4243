import { type AgentStreamChunk, defineGeneratorAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { textsOf } from "../agents.ts";
import { returningAgent, said } from "./loops.ts";

async function read(chunks: AsyncIterable<AgentStreamChunk>): Promise<readonly AgentStreamChunk[]> {
  const all: AgentStreamChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

describe("what a loop yields", () => {
  test("is streamed and becomes the model's messages of the turn", async () => {
    const agent = defineGeneratorAgent(
      { name: "yielding", store: new MemoryStore() },
      async function* ({ inputStream, sendChunk }) {
        for await (const _ of inputStream) {
          yield { chunk: { content: [{ text: "Let me " }] } };
          yield { chunk: { content: [{ text: "look. " }] } };
          sendChunk({ chunk: { content: [{ toolRequest: { name: "look", input: {} } }] } });
          yield {
            chunk: {
              role: "tool",
              content: [{ toolResponse: { name: "look", output: 7 } }],
            },
          };
          yield { chunk: { role: "model", content: [{ text: "Seven." }] } };
        }
      },
    );
    const { chunks, output } = agent.streamText("how many?", { sessionId: "s" });
    expect((await read(chunks)).filter(({ modelChunk }) => modelChunk)).toHaveLength(5);
    expect((await output).message).toEqual(said("Seven."));
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.messages?.slice(1)).toEqual([
      {
        role: "model",
        content: [{ text: "Let me look. " }, { toolRequest: { name: "look", input: {} } }],
      },
      { role: "tool", content: [{ toolResponse: { name: "look", output: 7 } }] },
      said("Seven."),
    ]);
  });

  test("is not doubled when the loop returns its messages or adds them to the session", async () => {
    const agent = defineGeneratorAgent<never>(
      { name: "twice" },
      async function* ({ inputStream, init, session }) {
        for await (const input of inputStream) {
          yield { chunk: said("ok") };
          if (init.messages.length === 0) return { messages: [input, said("ok, returned")] };
          session.addMessages(said("ok, added"));
        }
        return {};
      },
    );
    const first = await agent.runText("a");
    const second = await agent.runText("b", { state: first.state! });
    expect(textsOf(second.state)).toEqual(["a", "ok, returned", "b", "ok, added"]);
  });
});

describe("what a loop sends", () => {
  test("changes the state by JSON patches, which clients receive", async () => {
    const agent = defineGeneratorAgent<{ count: number; note?: string }>(
      { name: "counting", store: new MemoryStore() },
      async function* ({ inputStream, session, sendChunk }) {
        for await (const _ of inputStream) {
          const { count = 0 } = session.custom() ?? {};
          const op = count === 0 ? "add" : "replace";
          sendChunk({ stateUpdate: [{ op, path: "/count", value: count + 1 }] });
          yield { stateUpdate: [{ op: "add", path: "/note", value: `number ${count + 1}` }] };
        }
      },
    );
    await agent.runText("a", { sessionId: "s" });
    const { chunks, output } = agent.streamText("b", { sessionId: "s" });
    const patches = (await read(chunks)).flatMap(({ customPatch = [] }) => customPatch);
    expect(patches).toEqual([
      { op: "replace", path: "", value: { count: 2, note: "number 1" } },
      { op: "replace", path: "/note", value: "number 2" },
    ]);
    await output;
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.custom).toEqual({ count: 2, note: "number 2" });
  });

  test.each([
    ["a patch that does not fit", { stateUpdate: [{ op: "remove", path: "/none" }] }],
    ["a state update that is no patch", { stateUpdate: { count: 1 } }],
    ["a turn's end", { turnEnd: {} }],
    ["an unknown member", { chunks: said("hi") }],
    ["nothing at all", null],
  ])("fails the turn when it is %s", async (_, chunk) => {
    const agent = defineGeneratorAgent(
      { name: "wrong" },
      async function* ({ inputStream, sendChunk }) {
        for await (const _input of inputStream) sendChunk(chunk as never);
      },
    );
    const { finishReason, error } = await agent.runText("a");
    expect(finishReason).toBe("failed");
    expect(error?.status).toBe("INVALID_ARGUMENT");
  });

  test("is ignored once the loop has returned", async () => {
    let late: (() => void) | undefined;
    const agent = defineGeneratorAgent(
      { name: "late" },
      async function* ({ inputStream, sendChunk }) {
        late?.();
        late = () => sendChunk({ chunk: said("too late") });
        for await (const _input of inputStream) yield { chunk: said("in time") };
      },
    );
    const connection = agent.connect();
    await connection.sendText("a");
    await connection.sendText("b");
    connection.close();
    const texts = (await read(connection.receive())).flatMap(
      ({ modelChunk }) => modelChunk?.content[0]?.text ?? [],
    );
    expect(texts).toEqual(["in time", "in time"]);
  });
});

describe("the stream and the output of a generator agent", () => {
  test("name the session in every chunk, live and read again", async () => {
    const agent = defineGeneratorAgent<{ count: number }>(
      { name: "naming", store: new MemoryStore() },
      async function* ({ inputStream, init, sendChunk }) {
        for await (const _ of inputStream) {
          sendChunk({ sessionId: init?.sessionId, chunk: said("ok") });
          yield { status: "nearly there", artifact: { name: "note", parts: [] } };
        }
        return { state: { count: 1 } };
      },
    );
    const { runId, chunks, output } = agent.streamText("a", { sessionId: "s" });
    const live = await read(chunks);
    await output;
    const late: AgentStreamChunk[] = [];
    for await (const { chunk } of agent.attach(runId)) if (chunk) late.push(chunk);
    expect(live.map((chunk) => Object.keys(chunk))).toEqual([
      ["sessionId", "modelChunk"],
      ["sessionId", "artifact"],
      ["sessionId", "status"],
      ["sessionId", "customPatch"],
      ["sessionId", "turnEnd"],
    ]);
    expect(live.every(({ sessionId }) => sessionId === "s")).toBe(true);
    expect(late).toEqual(live);
  });

  test("hold the whole history, with a store and without one", async () => {
    const kept = returningAgent({ store: new MemoryStore() });
    await kept.runText("one", { sessionId: "s" });
    const second = await kept.runText("two", { sessionId: "s" });
    expect(second.messages?.map(({ content }) => content[0]?.text)).toEqual([
      "one",
      "answer 1",
      "two",
      "answer 3",
    ]);
    expect((await kept.getOutput(second.snapshotId!)).messages).toEqual(second.messages);
    const carried = await returningAgent().runText("one");
    expect(carried.messages).toEqual(carried.state?.messages);
  });

  test("show no more of the history than the transforms let through", async () => {
    const agent = returningAgent({
      store: new MemoryStore(),
      transformState: ({ messages: _messages, ...state }) => state,
    });
    const output = await agent.runText("secret", { sessionId: "s" });
    expect(output.messages).toBeUndefined();
    expect((await agent.getOutput(output.snapshotId!)).messages).toBeUndefined();
  });
});
