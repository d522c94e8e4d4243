import { type AgentConnection, defineGeneratorAgent, type Message } from "turnkeep";
import { describe, expect, test } from "vitest";
import { textOf, textsOf, user } from "../agents.ts";
import { STORES } from "../authoring/stores.ts";
import { ASKING, PAID, returningAgent, said } from "./loops.ts";

async function untilTurnEnd(connection: AgentConnection<never>): Promise<void> {
  for await (const { turnEnd } of connection.receive()) if (turnEnd) return;
}

describe.each(STORES)("a generator agent over %s", (_, open) => {
  test("saves what its loop returns with each turn of an open connection", async () => {
    const agent = returningAgent({ store: await open() });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("one");
    await untilTurnEnd(connection);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["one", "answer 1"]);
    await connection.sendText("two");
    await untilTurnEnd(connection);
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["one", "answer 1", "two", "answer 3"]);
    expect((await connection.output()).finishReason).toBe("stop");
    expect(await agent.listSnapshots("s")).toHaveLength(2);
  });

  test("processes an input that is sent after its loop returned", async () => {
    const agent = defineGeneratorAgent<never>(
      { name: "leaving", store: await open() },
      async function* ({ inputStream, init }) {
        for await (const input of inputStream) {
          return { messages: [...init.messages, input, said(`heard ${textOf(input)}`)] };
        }
        return {};
      },
    );
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["one", "two"]) {
      await connection.sendText(text);
      await untilTurnEnd(connection);
    }
    await connection.output();
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["one", "heard one", "two", "heard two"]);
  });

  test("keeps the turns of two clients that take turns on one session", async () => {
    const agent = returningAgent({ store: await open() });
    const [first, second] = [agent.connect({ sessionId: "s" }), agent.connect({ sessionId: "s" })];
    for (const [connection, text] of [
      [first, "a1"],
      [second, "b1"],
      [first, "a2"],
      [second, "b2"],
    ] as const) {
      await connection.sendText(text);
      await untilTurnEnd(connection);
    }
    await Promise.all([first.output(), second.output()]);
    const { state } = await agent.getLatestSnapshot("s");
    const expected = ["a1", "answer 1", "b1", "answer 3", "a2", "answer 5", "b2", "answer 7"];
    expect(textsOf(state)).toEqual(expected);
    expect(await agent.listSnapshots("s")).toHaveLength(4);
  });

  test("gives its loop the answer to an interrupt, as a tool's message and as it was sent", async () => {
    const inputs: unknown[] = [];
    const agent = defineGeneratorAgent<never>(
      { name: "paying", store: await open() },
      async function* ({ inputStream, init }) {
        for await (const input of inputStream) {
          inputs.push({ ...input, resume: input.resume });
          const answer = input.resume ? said("Thank you.") : ASKING;
          return { messages: [...init.messages, input, answer] };
        }
        return {};
      },
    );
    const asking = await agent.runText("pay it", { sessionId: "s" });
    expect(asking.finishReason).toBe("interrupted");
    expect((await agent.getLatestSnapshot("s")).finishReason).toBe("interrupted");
    const resumed = await agent.run({ resume: { respond: [PAID] } }, { sessionId: "s" });
    expect(resumed).toMatchObject({ finishReason: "stop", message: said("Thank you.") });
    expect(inputs).toEqual([
      { role: "user", content: [{ text: "pay it" }], resume: undefined },
      {
        role: "tool",
        content: [PAID],
        metadata: { resumed: true },
        resume: { respond: [PAID] },
      },
    ]);
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.messages).toEqual([
      { role: "user", content: [{ text: "pay it" }] },
      ASKING,
      { role: "tool", content: [PAID], metadata: { resumed: true } },
      said("Thank you."),
    ]);
  });

  test("gives its loop a resume that comes with a message, and requests to run again", async () => {
    const seen: unknown[] = [];
    const agent = defineGeneratorAgent(
      { name: "seeing", store: await open() },
      async function* ({ inputStream }) {
        for await (const input of inputStream) {
          seen.push([textOf(input), input.resume, Object.keys(input)]);
          yield { chunk: said("ok") };
        }
      },
    );
    const restart = [{ toolRequest: { name: "pay", ref: "1", input: {} } }];
    await agent.run({ ...user("go on"), resume: { restart } }, { sessionId: "s" });
    await agent.run({ resume: { restart } }, { sessionId: "s" });
    expect(seen).toEqual([
      ["go on", { restart }, ["role", "content"]],
      ["", { restart }, ["role", "content", "metadata"]],
    ]);
  });

  test("gives its loop the last message again when an empty input retries a failed turn", async () => {
    let isDown = true;
    const agent = returningAgent({ store: await open() }, ({ length }) => {
      if (isDown) throw new Error("no model");
      return said(`answer ${length}`);
    });
    const failed = await agent.runText("hello", { sessionId: "s" });
    expect(failed).toMatchObject({ finishReason: "failed", error: { message: "no model" } });
    isDown = false;
    expect((await agent.run({}, { sessionId: "s" })).finishReason).toBe("stop");
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["hello", "answer 1"]);
  });

  test("calls its loop with no input when there is nothing to retry", async () => {
    const agent = returningAgent({ store: await open() });
    await agent.runText("hello", { sessionId: "s" });
    await agent.run({}, { sessionId: "s" });
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["hello", "answer 1"]);
  });
});

describe("the result of a loop", () => {
  test("says how the turn ended and what it used", async () => {
    const agent = defineGeneratorAgent(
      { name: "blunt", store: await STORES[0]![1]() },
      async function* ({ inputStream }) {
        for await (const _ of inputStream) yield { chunk: said("I will not") };
        return { finishReason: "blocked", usage: { outputTokens: 3 } };
      },
    );
    const { finishReason, snapshotId } = await agent.runText("hello", { sessionId: "s" });
    expect(finishReason).toBe("blocked");
    expect(await agent.getSnapshot(snapshotId!)).toMatchObject({
      finishReason: "blocked",
      usage: { outputTokens: 3 },
    });
  });

  test("may shorten the history", async () => {
    const agent = defineGeneratorAgent<never>(
      { name: "short" },
      async function* ({ inputStream, init }) {
        const messages: Message[] = [...init.messages];
        for await (const input of inputStream) messages.push(input, said("ok"));
        return { messages: messages.slice(-2) };
      },
    );
    const first = await agent.runText("one");
    const second = await agent.runText("two", { state: first.state! });
    expect(textsOf(second.state)).toEqual(["two", "ok"]);
  });

  test("replaces the artifacts that the loop was given and keeps those that it sent", async () => {
    const agent = defineGeneratorAgent<never>(
      { name: "maker" },
      async function* ({ inputStream, init, sendChunk }) {
        for await (const _ of inputStream) {
          const turn = init.artifacts.length === 0 ? "first" : "second";
          sendChunk({ artifact: { name: `sent ${turn}`, parts: [] } });
          sendChunk({ artifact: { name: "report", parts: [{ text: "draft" }] } });
          return { artifacts: [{ name: "report", parts: [{ text: turn }] }] };
        }
        return {};
      },
    );
    const first = await agent.runText("a");
    const second = await agent.runText("b", { state: first.state! });
    expect(first.artifacts?.map(({ name }) => name)).toEqual(["report", "sent first"]);
    expect(second.artifacts).toEqual([
      { name: "report", parts: [{ text: "second" }] },
      { name: "sent second", parts: [] },
    ]);
  });
});
