import { genkit } from "genkit";
import { defineAgent, defineCustomAgent, definePromptAgent } from "turnkeep/genkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { collect } from "../plugins/remote-agent.ts";
import { refusalOf, registered, type Registered, user } from "./registered.ts";
import { memory, talker } from "./talker.ts";
import { defineThinker } from "./thinking-model.ts";

const COMPANIONS = [
  "/agent/talker",
  "/agent-snapshot/talker",
  "/agent-abort/talker",
  "/snapshot-store/talker/getSnapshot",
  "/snapshot-store/talker/listSnapshots",
  "/snapshot-store/talker/waitForSnapshot",
];

describe("what Genkit's registry knows of an agent", () => {
  test("with a store: how to talk to it, and how to read and abort", async () => {
    const { ai } = talker(memory());
    for (const key of COMPANIONS) {
      expect((await registered(ai, key)).__action).toMatchObject({ key });
    }
    expect(Object.keys(await ai.registry.listActions())).toEqual(
      expect.arrayContaining(COMPANIONS),
    );
  });

  test("without a store: only how to talk to it", async () => {
    const { ai } = talker(undefined);
    const known = Object.keys(await ai.registry.listActions());
    expect(known.filter((key) => COMPANIONS.includes(key))).toEqual(["/agent/talker"]);
  });

  test.each([
    { what: "a store", store: memory, stateManagement: "server", abortable: true },
    { what: "no store", store: () => undefined, stateManagement: "client", abortable: false },
  ])("what it says of itself with $what", async ({ store, stateManagement, abortable }) => {
    const { ai, agent } = talker(store());
    const { __action } = await registered(ai, "/agent/talker");
    expect(__action).toMatchObject({
      name: "talker",
      actionType: "agent",
      description: "Talks.",
      metadata: {
        bidi: true,
        agent: {
          stateManagement,
          abortable,
          stateSchema: { type: "object", properties: { mood: { type: "string" } } },
        },
      },
    });
    expect(__action.metadata?.["agent"]).toEqual(agent.metadata);
    for (const schema of ["inputSchema", "initSchema", "outputSchema", "streamSchema"]) {
      expect(__action[schema]).toHaveProperty("_def");
    }
  });

  test("agents of every kind, on one prompt or none", async () => {
    const ai = genkit({});
    defineThinker(ai, "echo", ({ heard }) => heard);
    ai.definePrompt({ name: "shared", model: "echo" });
    const store = memory();
    const agents = [
      await definePromptAgent(ai, { name: "one", prompt: "shared", store }),
      await definePromptAgent(ai, { name: "two", prompt: "shared" }),
      defineCustomAgent(ai, { name: "three", store }, ({ session }) => session.run(() => {})),
    ];
    for (const agent of agents) {
      onTestFinished(() => agent.close());
      await registered(ai, `/agent/${agent.name}`);
    }
    expect(await (await registered(ai, "/agent/two"))(user("hi"))).toMatchObject({
      finishReason: "stop",
    });
  });

  test("no second agent of one name, and the first stays", async () => {
    const { ai, agent } = talker(memory());
    const again = [
      () => defineAgent(ai, { name: "talker", model: "echo" }),
      () => defineCustomAgent(ai, { name: "talker" }, () => {}),
      () => definePromptAgent(ai, { name: "talker", prompt: "talker" }),
    ];
    for (const define of again) {
      await expect(async () => await define()).rejects.toMatchObject({ status: "ALREADY_EXISTS" });
    }
    const known = await registered(ai, "/agent/talker");
    expect(known.__action.metadata?.["agent"]).toEqual(agent.metadata);
    expect(() => defineAgent(ai, { name: "plugin/talker", model: "echo" })).toThrow(
      expect.objectContaining({ status: "INVALID_ARGUMENT" }),
    );
    // Another Genkit knows nothing of it.
    expect(() => talker(undefined)).not.toThrow();
  });
});

describe("an agent's action", () => {
  test("runs a turn with what Genkit's servers pass to it, and goes on by snapshot or session", async () => {
    const { ai, contexts } = talker(memory());
    const action = await registered(ai, "/agent/talker");
    const auth = { uid: "u1" };
    const { result, telemetry } = await action.run(user("a"), {
      init: { sessionId: "s" },
      context: { auth },
    });
    expect(result).toMatchObject({ sessionId: "s", finishReason: "stop" });
    expect(telemetry).toMatchObject({ traceId: expect.any(String), spanId: expect.any(String) });
    const { snapshotId } = result;
    const second = await action(user("b"), { init: { snapshotId } });
    expect(second.message?.content).toEqual([{ text: "B of A" }]);
    expect(contexts).toEqual([{ auth }, {}]);
  });

  test("carries the state for an agent without a store", async () => {
    const { ai } = talker(undefined);
    const action = await registered(ai, "/agent/talker");
    const first = await action(user("a"));
    const second = await action(user("b"), { init: { state: first.state } });
    expect(second.message?.content).toEqual([{ text: "B of A" }]);
  });

  test("streams to whoever asks for chunks", async () => {
    const { ai } = talker(memory());
    const action = await registered(ai, "/agent/talker");
    const chunks: unknown[] = [];
    await action.run(user("a"), { onChunk: (chunk) => chunks.push(chunk) });
    const { stream, output } = action.stream(user("a"), { init: { sessionId: "t" } });
    const streamed = await collect(stream);
    expect(streamed[0]).toMatchObject({ modelChunk: { content: [{ text: "A" }] } });
    expect(streamed.at(-1)).toMatchObject({ turnEnd: { finishReason: "stop" } });
    expect(chunks).toHaveLength(streamed.length);
    expect(await output).toMatchObject({ sessionId: "t", finishReason: "stop" });
  });

  test("takes any number of inputs, and none after it was closed", async () => {
    const { ai, agent } = talker(memory());
    const action = await registered(ai, "/agent/talker");
    const { send, close, stream, output } = action.streamBidi({ sessionId: "s" });
    send(user("a"));
    send(user("b"));
    const ends: unknown[] = [];
    for await (const { turnEnd } of stream) {
      if (!turnEnd) continue;
      ends.push(turnEnd.finishReason);
      if (ends.length === 2) {
        send(user("c"));
        close();
      }
    }
    expect(ends).toEqual(["stop", "stop", "stop"]);
    expect((await output).message?.content).toEqual([{ text: "C of B of A" }]);
    expect(await refusalOf(() => send(user("d")))).toMatchObject({
      name: "GenkitError",
      status: "FAILED_PRECONDITION",
    });
    expect(await agent.listSnapshots("s")).toHaveLength(3);
  });

  test("says which trace it is of before it starts to work", async () => {
    const { ai } = talker(memory());
    const action = await registered(ai, "/agent/talker");
    const seen: unknown[] = [];
    const { telemetry } = await action.run(user("a"), {
      onTraceStart: (trace) => seen.push({ ...trace }),
      onChunk: () => seen.push("chunk"),
    });
    expect(seen[0]).toMatchObject(telemetry);
    expect(seen.slice(1).every((item) => item === "chunk")).toBe(true);
  });

  test("a turn that fails is an answer, with its error", async () => {
    const { ai } = talker(memory());
    const action = await registered(ai, "/agent/talker");
    const failed = await action(user("fail"), { init: { sessionId: "s" } });
    expect(failed).toMatchObject({
      finishReason: "failed",
      error: { status: "INTERNAL", message: expect.stringContaining("no idea") },
    });
  });

  // W11: Genkit's own agents go on when their caller has gone.
  test.each([
    { where: "the model", text: "wait", store: memory },
    { where: "a tool", text: "use the tool", store: memory },
    { where: "the model, without a store", text: "wait", store: () => undefined },
    { where: "a tool, without a store", text: "use the tool", store: () => undefined },
  ])("the caller's signal reaches $where", async ({ text, store }) => {
    const { ai, waits, reasons } = talker(store());
    const action = await registered(ai, "/agent/talker");
    const caller = new AbortController();
    const running = action.run(user(text), { abortSignal: caller.signal });
    await waits;
    caller.abort();
    expect((await running).result).toMatchObject({ finishReason: "aborted" });
    expect(reasons).toHaveLength(1);
  });
});

test("an action that is run inside another is told what that one was", async () => {
  const { ai, contexts } = talker(memory());
  const action = await registered(ai, "/agent/talker");
  const flow = ai.defineFlow("flow", async () => (await action(user("a"))).finishReason);
  expect(await flow(undefined, { context: { auth: { uid: "u1" } } })).toBe("stop");
  expect(contexts).toEqual([{ auth: { uid: "u1" } }]);
});

describe("an agent's action refuses", () => {
  const BAD: readonly (readonly [
    what: string,
    status: string,
    ask: (action: Registered) => unknown,
  ])[] = [
    ["no input", "INVALID_ARGUMENT", (action) => action(undefined)],
    ["null", "INVALID_ARGUMENT", (action) => action(null)],
    ["a text", "INVALID_ARGUMENT", (action) => action("hi")],
    ["a list", "INVALID_ARGUMENT", (action) => action([])],
    ["a message that is a text", "INVALID_ARGUMENT", (action) => action({ message: "hi" })],
    [
      "a message of the model's",
      "INVALID_ARGUMENT",
      (action) => action({ message: { role: "model", content: [{ text: "hi" }] } }),
    ],
    ["null as stream", "INVALID_ARGUMENT", (action) => action.stream(null).output],
    ["null as stream, read", "INVALID_ARGUMENT", (action) => collect(action.stream(null).stream)],
    ["an init that is a text", "INVALID_ARGUMENT", (action) => action({}, { init: "s" as never })],
    [
      "a session id that is a number",
      "INVALID_ARGUMENT",
      (action) => action(user("a"), { init: { sessionId: 5 } }),
    ],
    [
      "a state, with a store",
      "FAILED_PRECONDITION",
      (action) => action(user("a"), { init: { state: { messages: [] } } }),
    ],
    [
      "a snapshot of another session",
      "INVALID_ARGUMENT",
      async (action) => {
        const { snapshotId } = await action(user("a"), { init: { sessionId: "s" } });
        return await action(user("a"), { init: { sessionId: "t", snapshotId } });
      },
    ],
  ];

  test.each(BAD)("%s with %s", async (_, status, ask) => {
    const { ai } = talker(memory());
    const action = await registered(ai, "/agent/talker");
    expect(await refusalOf(() => ask(action))).toMatchObject({ name: "GenkitError", status });
  });

  test.each(["nothing", "s.nothing"])("the snapshot %j, which nobody knows", async (id) => {
    const { ai } = talker(memory());
    const action = await registered(ai, "/agent/talker");
    expect(await action(user("a"), { init: { snapshotId: id } })).toMatchObject({
      finishReason: "failed",
      error: { status: "NOT_FOUND" },
    });
  });

  test("bad input in the middle of a talk, after the turns before it", async () => {
    const { ai, agent } = talker(memory());
    const action = await registered(ai, "/agent/talker");
    const { send, output } = action.streamBidi({ sessionId: "s" });
    send(user("a"));
    send({ message: 5 } as never);
    expect(await refusalOf(() => output)).toMatchObject({ status: "INVALID_ARGUMENT" });
    expect(await agent.listSnapshots("s")).toMatchObject([{ status: "completed" }]);
  });
});
