import { type AgentOptions, defineGeneratorAgent, type LocalAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { crashtest } from "turnkeep/testing";
import { describe, expect, test } from "vitest";
import { textOf, textsOf, user } from "../agents.ts";
import { databaseFile, openShared, STORES } from "../life/stores.ts";
import { gateOf, until, untilAborted } from "../life/waiting.ts";
import { returningAgent, said } from "./loops.ts";

/** Waits in its first turn until the gate opens or the turn is aborted; tells what became of it. */
function gatedAgent(options: Partial<AgentOptions<never>>) {
  const gate = gateOf();
  const heard: string[] = [];
  const agent = defineGeneratorAgent<never>(
    { name: "gated", ...options },
    async function* ({ inputStream, init, signal }) {
      for await (const input of inputStream) {
        heard.push(textOf(input));
        yield { chunk: { content: [{ text: "hm" }] } };
        const isFirst = heard.length === 1;
        if (isFirst) await Promise.race([gate.promise, untilAborted(signal)]);
        return { messages: [...init.messages, input, said(`re: ${textOf(input)}`)] };
      }
      return {};
    },
  );
  return { agent, gate, heard };
}

describe.each(STORES)("a generator agent over %s", (_, create) => {
  test("goes on with a detached turn, and ends it in the snapshot that it named", async () => {
    const { agent, gate } = gatedAgent({ store: await create() });
    const run = await agent.detach(user("a"), { sessionId: "s" });
    expect((await agent.getSnapshot(run.snapshotId)).status).toBe("pending");
    gate.open();
    const done = await run.wait();
    expect(done).toMatchObject({ status: "completed", finishReason: "stop" });
    expect(textsOf(done.state)).toEqual(["a", "re: a"]);
  });

  test("saves every input of a detached run", async () => {
    const { agent, gate } = gatedAgent({ store: await create() });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.sendText("b");
    await connection.detach();
    const { snapshotId } = await connection.output();
    gate.open();
    const done = await agent.waitFor(snapshotId!);
    expect(textsOf(done.state)).toEqual(["a", "re: a", "b", "re: b"]);
  });

  test("aborts its loop by the signal and starts the next turn without its answer", async () => {
    const { agent, heard } = gatedAgent({ store: await create() });
    const { runId, output } = agent.streamText("a", { sessionId: "s" });
    await until(() => heard.length === 1);
    await agent.abort(runId);
    expect((await output).finishReason).toBe("aborted");
    await agent.runText("b", { sessionId: "s" });
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).not.toContain("re: a");
    expect(textsOf(state)).toContain("re: b");
  });

  test("stops reading a loop that yields on after the abort", async () => {
    let yielded = 0;
    let isReturned = false;
    const agent = defineGeneratorAgent(
      { name: "endless", store: await create() },
      async function* ({ inputStream }) {
        try {
          for await (const _input of inputStream) {
            for (;;) {
              yielded += 1;
              yield { status: yielded };
              await new Promise((resolve) => setImmediate(resolve));
            }
          }
        } finally {
          isReturned = true;
        }
      },
    );
    const { runId, output } = agent.streamText("a", { sessionId: "s" });
    await until(() => yielded > 2);
    await agent.abort(runId);
    expect((await output).finishReason).toBe("aborted");
    await until(() => isReturned);
  });

  test("refuses, queues or interrupts a second input, as its policy says", async () => {
    const rejecting = gatedAgent({ store: await create() });
    const first = rejecting.agent.runText("a", { sessionId: "s" });
    await until(() => rejecting.heard.length === 1);
    await expect(rejecting.agent.runText("b", { sessionId: "s" })).rejects.toMatchObject({
      reason: "SESSION_BUSY",
    });
    rejecting.gate.open();
    await first;

    const queueing = gatedAgent({ store: await create(), onBusy: "queue" });
    const before = queueing.agent.runText("a", { sessionId: "s" });
    await until(() => queueing.heard.length === 1);
    const behind = queueing.agent.runText("b", { sessionId: "s" });
    queueing.gate.open();
    await before;
    expect((await behind).messages?.map(textOf)).toEqual(["a", "re: a", "b", "re: b"]);

    const interrupting = gatedAgent({ store: await create(), onBusy: "interrupt" });
    const interrupted = interrupting.agent.runText("a", { sessionId: "s" });
    await until(() => interrupting.heard.length === 1);
    expect(await interrupting.agent.runText("b", { sessionId: "s" })).toMatchObject({
      finishReason: "stop",
      message: said("re: b"),
    });
    expect((await interrupted).finishReason).toBe("aborted");
  });
});

describe("a generator agent whose process ends", () => {
  test("is taken over by another one, which calls the loop with the same input", async () => {
    const file = databaseFile();
    const limits = { leaseMs: 5000 };
    const first = gatedAgent({ store: await openShared(file), limits });
    const { snapshotId } = await first.agent.detach(user("a"), { sessionId: "s" });
    await until(() => first.heard.length === 1);
    await first.agent.close();
    const second = gatedAgent({ store: await openShared(file), limits });
    second.gate.open();
    const done = await second.agent.waitFor(snapshotId);
    expect(textsOf(done.state)).toEqual(["a", "re: a"]);
    expect(second.heard).toEqual(["a"]);
    await second.agent.close();
  });

  test("loses and doubles nothing, whenever it dies, if its effects are journaled steps", async () => {
    const done: string[] = [];
    const histories = new Set<string>();
    const agent = defineGeneratorAgent(
      { name: "shop" },
      async function* ({ inputStream, init, turn }) {
        for await (const input of inputStream) {
          await turn.step({ name: "charge", input: 1, idempotent: false }, () =>
            done.push("charge"),
          );
          return { messages: [...init.messages, input, said(`sold ${textOf(input)}`)] };
        }
        return {};
      },
    );
    const run = async (living: LocalAgent): Promise<void> => {
      for (const text of ["tea", "cake"]) {
        await living.runText(text, { sessionId: "ada", requestId: text });
      }
      histories.add(textsOf((await living.getLatestSnapshot("ada")).state).join());
    };
    const report = await crashtest(agent, {
      store: (clock) => new MemoryStore({ clock }),
      run,
      takeEffects: () => done.splice(0),
    });
    expect(report).toMatchObject({ effects: ["charge", "charge"], isSound: true });
    expect(histories).toContain("tea,sold tea,cake,sold cake");
  });
});

describe("a generator agent without a store", () => {
  test("carries the state to the client and back, turn by turn on one connection", async () => {
    const agent = returningAgent();
    const connection = agent.connect();
    await connection.sendText("one");
    await connection.sendText("two");
    const { state, finishReason } = await connection.output();
    expect(finishReason).toBe("stop");
    expect(textsOf(state)).toEqual(["one", "answer 1", "two", "answer 3"]);
    const next = await agent.runText("three", { state: state! });
    expect(next.sessionId).toBe(state?.sessionId);
    expect(textsOf(next.state).slice(4)).toEqual(["three", "answer 5"]);
  });

  test("refuses a loop that is no generator", async () => {
    const agent = defineGeneratorAgent({ name: "plain" }, (async () => ({})) as never);
    expect((await agent.runText("a")).error).toMatchObject({
      status: "INVALID_ARGUMENT",
      message: expect.stringContaining("async function*"),
    });
  });
});
