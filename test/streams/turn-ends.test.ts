import { type AgentOptions, buildCustomAgent, type LocalAgent } from "turnkeep";
import { genkitProtocol } from "turnkeep/client";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { user } from "../agent/agents.ts";
import { agentOf } from "../agent/authoring/turns.ts";
import { slowAgent } from "../agent/life/slow-agent.ts";
import { collect, gateOf, until, untilAborted } from "../agent/life/waiting.ts";
import { testStoreOn } from "../support/places/test-places.ts";
import { endsOf, lateChunks, PATH_NAMES, PATHS, remoteOf } from "./paths.ts";

describe.each(PATH_NAMES)("a stream read %s", (path) => {
  const open = PATHS[path];

  test("ends a turn that completes with one turnEnd, as late readers see it", async () => {
    const agent = slowAgent({ store: await testStoreOn("memory") });
    const { heard, over } = open(agent, "a", { sessionId: "s" });
    await over;
    const { snapshotId } = heard.output ?? {};
    expect(endsOf(heard.chunks)).toEqual([{ finishReason: "stop", snapshotId }]);
    expect(heard.chunks).toEqual(await lateChunks(agent, await runOf(agent)));
  });

  test("ends a turn that fails with one turnEnd", async () => {
    const agent = slowAgent({ store: await testStoreOn("memory") }, () => {
      throw new Error("no paper");
    });
    const { heard, over } = open(agent, "a", { sessionId: "s" });
    await over;
    expect(endsOf(heard.chunks)).toMatchObject([{ finishReason: "failed" }]);
    expect(heard.chunks).toEqual(await lateChunks(agent, await runOf(agent)));
  });

  test("ends a turn that is aborted with one turnEnd, and then itself", async () => {
    const begun = gateOf();
    const agent = slowAgent({ store: await testStoreOn("memory") }, async (__, { signal }) => {
      begun.open();
      await untilAborted(signal);
    });
    const { heard, over } = open(agent, "a", { sessionId: "s" });
    await begun.promise;
    const runId = await runOf(agent);
    await agent.abort(runId);
    await over;
    expect(endsOf(heard.chunks)).toMatchObject([{ finishReason: "aborted" }]);
    expect(heard.output).toMatchObject({ finishReason: "aborted" });
    expect(heard.chunks).toEqual(await lateChunks(agent, runId));
  });

  test("ends a turn that another message interrupts with one turnEnd", async () => {
    const begun = gateOf();
    const agent = slowAgent({ store: await testStoreOn("memory") }, async (text, { signal }) => {
      if (text !== "a") return;
      begun.open();
      await untilAborted(signal);
    });
    const { heard, over } = open(agent, "a", { sessionId: "s" });
    await begun.promise;
    const runId = await runOf(agent);
    await agent.runText("b", { sessionId: "s", onBusy: "interrupt" });
    await over;
    expect(endsOf(heard.chunks)).toMatchObject([{ finishReason: "aborted" }]);
    expect(heard.chunks).toEqual(await lateChunks(agent, runId));
  });

  test("goes on with the worker that took the turn over, up to its one turnEnd", async () => {
    const { agent, other, takeOver } = await dying();
    const { heard, over } = open(agent, "a", { sessionId: "s" });
    const runId = await takeOver();
    await over;
    const late = await lateChunks(other, runId);
    expect(endsOf(late)).toMatchObject([{ finishReason: "stop" }]);
    expect(heard.chunks).toEqual(late);
    expect(heard.output).toMatchObject({
      finishReason: "stop",
      message: { content: [{ text: "re: a" }] },
    });
  });

  test("of a caller that detaches ends at once, and tells of no turn that goes on", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await testStoreOn("memory") }, () => gate.promise);
    const { heard, over } = open(agent, "a", { sessionId: "s", detach: true });
    await over;
    expect(heard.chunks).toEqual([]);
    expect(heard.output).toMatchObject({ finishReason: "detached" });
    gate.open();
    const late = await lateChunks(agent, await runOf(agent));
    expect(endsOf(late)).toMatchObject([{ finishReason: "stop" }]);
  });
});

describe("a connection in this process", () => {
  test("ends each of several inputs that are aborted with a turnEnd", async () => {
    const begun = gateOf();
    const agent = slowAgent({ store: await testStoreOn("memory") }, async (__, { signal }) => {
      begun.open();
      await untilAborted(signal);
    });
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["a", "b", "c"]) await connection.sendText(text);
    await begun.promise;
    const reading = collect(connection.receive());
    await agent.abort(connection.runId);
    const aborted = { finishReason: "aborted" };
    expect(endsOf(await reading)).toMatchObject([aborted, aborted, aborted]);
    expect(await reading).toEqual(await lateChunks(agent, connection.runId));
  });

  test("is over when it is aborted, also for an agent that goes on to wait for inputs", async () => {
    const begun = gateOf();
    const agent = buildCustomAgent(
      { name: "stubborn", store: await testStoreOn("memory") },
      async ({ session }) => {
        while (!session.hasNoMoreInputs()) {
          const running = session.run(async (__, { signal }) => {
            begun.open();
            await untilAborted(signal);
          });
          await running.catch(() => {});
        }
      },
    );
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await begun.promise;
    await agent.abort(connection.runId);
    expect(endsOf(await collect(connection.receive()))).toMatchObject([
      { finishReason: "aborted" },
    ]);
    await expect(connection.sendText("b")).rejects.toMatchObject({ reason: "RUN_OVER" });
    expect(await connection.output()).toMatchObject({ finishReason: "aborted" });
  });

  test("tells that it was aborted although the agent's function never comes back", async () => {
    const store = await testStoreOn("memory");
    const agent = buildCustomAgent({ name: "deaf", store }, () => new Promise<void>(() => {}));
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await agent.abort(connection.runId);
    expect(endsOf(await collect(connection.receive()))).toMatchObject([
      { finishReason: "aborted" },
    ]);
  });

  test("is over when it is aborted between two turns", async () => {
    const agent = slowAgent({ store: await testStoreOn("memory") });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    await agent.abort(connection.runId);
    expect(await collect(connection.receive())).toEqual([]);
    expect(await connection.output()).toMatchObject({ finishReason: "aborted" });
  });

  test("ends the inputs that a failing agent never asked for with a turnEnd each", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await testStoreOn("memory") }, async () => {
      await gate.promise;
      throw new Error("no paper");
    });
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["a", "b", "c"]) await connection.sendText(text);
    gate.open();
    const chunks = await collect(connection.receive());
    expect(endsOf(chunks).map(({ finishReason }) => finishReason)).toEqual([
      "failed",
      "aborted",
      "aborted",
    ]);
    expect(chunks).toEqual(await lateChunks(agent, connection.runId));
  });

  test("misses nothing when an input that was to detach it is refused", async () => {
    const gate = gateOf();
    const store = await testStoreOn("memory");
    const agent = slowAgent({ store, limits: { queuedInputs: 1 } }, () => gate.promise);
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.sendText("b");
    const detaching = connection.send({ ...user("c"), detach: true });
    await expect(detaching).rejects.toMatchObject({ reason: "QUEUE_FULL" });
    gate.open();
    connection.close();
    const chunks = await collect(connection.receive());
    expect(chunks).toEqual(await lateChunks(agent, connection.runId));
  });

  test("to an agent without a store ends each aborted input with a turnEnd", async () => {
    const begun = gateOf();
    const caller = new AbortController();
    const agent = agentOf({}, async ({ respond }, { signal }) => {
      respond.text("hm");
      begun.open();
      await untilAborted(signal).catch(() => respond.text("too late"));
      respond.text("too late");
    });
    const connection = agent.connect({ signal: caller.signal });
    await connection.sendText("a");
    await connection.sendText("b");
    await begun.promise;
    caller.abort(new Error("bored"));
    const chunks = await collect(connection.receive());
    const aborted = { turnEnd: { finishReason: "aborted" } };
    expect(chunks).toEqual([{ modelChunk: { content: [{ text: "hm" }] } }, aborted, aborted]);
    expect(await connection.output()).toMatchObject({ finishReason: "aborted" });
  });
});

describe.each([
  ["a server of ours", {}],
  ["Genkit's protocol", { protocol: genkitProtocol }],
] as const)("a remote connection over %s", (_, protocol) => {
  test.each(["with a store", "without one"])(
    "ends a turn that its caller aborts with one turnEnd: %s",
    async (kind) => {
      const begun = gateOf();
      const isKept = kind === "with a store";
      const agent = agentOf(
        isKept ? { store: await testStoreOn("memory") } : {},
        async ({ respond }, { signal }) => {
          respond.text("hm");
          begun.open();
          await untilAborted(signal);
        },
      );
      const remote = remoteOf(agent, {
        ...protocol,
        stateManagement: isKept ? "server" : "client",
      });
      const caller = new AbortController();
      const connection = remote.connect({
        ...(isKept && { sessionId: "s" }),
        signal: caller.signal,
      });
      await connection.sendText("a");
      await begun.promise;
      caller.abort();
      connection.close();
      const chunks = await collect(connection.receive());
      expect(endsOf(chunks)).toMatchObject([{ finishReason: "aborted" }]);
      expect(await connection.output()).toMatchObject({ finishReason: "aborted" });
    },
  );
});

/** An agent whose process stops in the middle of its turn, and another process that takes it over. */
async function dying(): Promise<{
  readonly agent: LocalAgent;
  readonly other: LocalAgent;
  readonly takeOver: () => Promise<string>;
}> {
  let now = Date.now();
  const store = new MemoryStore({ clock: { now: () => now } });
  const options: Partial<AgentOptions<never>> = { store, limits: { leaseMs: 300 } };
  let begun = 0;
  const agent = slowAgent(options, async (__, { signal }) => {
    begun += 1;
    await untilAborted(signal);
  });
  const other = slowAgent(options, () => {});
  // Neither looks for turns by itself.
  await agent.startWorker().stop();
  const desk = await other.takeWorkDesk();
  return {
    agent,
    other,
    takeOver: async () => {
      await until(() => begun === 1);
      const runId = await runOf(agent);
      now += 1000;
      const [key] = await desk.findDue(1);
      const taken = key && (await desk.take(key));
      expect(taken).toMatchObject({ kind: "taken" });
      return runId;
    },
  };
}

async function runOf(agent: LocalAgent): Promise<string> {
  const [run] = await agent.inspector.listRuns("s");
  return run?.runId ?? "";
}
