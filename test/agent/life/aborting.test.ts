import { describe, expect, test } from "vitest";
import { textsOf, user } from "../agents.ts";
import { slowAgent } from "./slow-agent.ts";
import { databaseFile, openShared, STORES } from "./stores.ts";
import { collect, gateOf, LONG_LEASE_MS, sleep, until, untilAborted } from "./waiting.ts";
import { defineCustomAgent } from "turnkeep";

describe.each(STORES)("aborting a run over %s", (_, createStore) => {
  test("reaches the handler and the step it is in as a signal, in the foreground by run id", async () => {
    const reasons: unknown[] = [];
    const begun = gateOf();
    const agent = slowAgent({ store: await createStore() }, async (__, turn) => {
      await turn.step({ name: "wait", input: null }, async ({ signal }) => {
        signal.addEventListener("abort", () => reasons.push(signal.reason));
        begun.open();
        return await untilAborted(signal).catch((reason: unknown) => {
          reasons.push(turn.signal.reason);
          throw reason;
        });
      });
    });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await begun.promise;
    expect(await agent.abort(connection.runId)).toEqual({
      status: "aborted",
      previousStatus: "pending",
    });
    const aborted = expect.objectContaining({ status: "CANCELLED", reason: "RUN_ABORTED" });
    await until(() => reasons.length === 2);
    expect(reasons).toEqual([aborted, aborted]);
    expect(await connection.output()).toMatchObject({ finishReason: "aborted" });
    expect((await connection.output()).error).toBeUndefined();
  });

  test("in the foreground by the snapshot id that is reserved for the turn", async () => {
    const named = gateOf();
    let reserved = "";
    const agent = slowAgent({ store: await createStore() }, async (__, turn) => {
      reserved = turn.snapshotId ?? "";
      named.open();
      await untilAborted(turn.signal);
    });
    const running = agent.runText("a", { sessionId: "s" });
    await named.promise;
    expect(await agent.abort(reserved)).toMatchObject({ status: "aborted" });
    expect(await running).toMatchObject({ finishReason: "aborted" });
    expect(await agent.getSnapshot(reserved)).toMatchObject({ status: "aborted" });
  });

  test("by the caller's own signal ends the turn as aborted, whatever its reason", async () => {
    const begun = gateOf();
    const agent = slowAgent({ store: await createStore() }, async (__, { signal }) => {
      begun.open();
      await untilAborted(signal);
    });
    for (const reason of [undefined, new Error("bored"), "a text"]) {
      const caller = new AbortController();
      const sessionId = `s-${String(reason)}`;
      const running = agent.runText("a", { sessionId, signal: caller.signal });
      await begun.promise;
      await until(async () => (await agent.listSnapshots(sessionId)).length === 1);
      caller.abort(reason);
      expect(await running).toMatchObject({ finishReason: "aborted" });
      expect(await agent.listSnapshots(sessionId)).toMatchObject([{ status: "aborted" }]);
    }
  });

  test("by a caller's signal that aborted before: nothing is begun", async () => {
    const heard: string[] = [];
    const agent = slowAgent({ store: await createStore() }, (text) => void heard.push(text));
    const signal = AbortSignal.abort(new Error("bored"));
    await expect(agent.runText("a", { sessionId: "s", signal })).rejects.toThrow("bored");
    await sleep(20);
    expect(heard).toEqual([]);
    expect(await agent.listSnapshots("s")).toEqual([]);
  });

  test("reaches the agent's own signal, not only the turn's", async () => {
    const reasons: unknown[] = [];
    const begun = gateOf();
    const agent = defineCustomAgent(
      { name: "loop", store: await createStore() },
      async ({ session, signal }) => {
        signal.addEventListener("abort", () => reasons.push(signal.reason));
        begun.open();
        await session.run(async () => await untilAborted(signal));
      },
    );
    const detached = await agent.detach(user("a"), { sessionId: "s" });
    await begun.promise;
    await detached.abort();
    await until(() => reasons.length === 1);
    expect(reasons).toMatchObject([{ reason: "RUN_ABORTED" }]);
  });

  test("leaves a row with its finish reason, a later time of change and what the turn was given", async () => {
    const agent = slowAgent({ store: await createStore() }, (__, { signal }) =>
      untilAborted(signal),
    );
    const detached = await agent.detach(user("a"), { sessionId: "s" });
    await sleep(15);
    await detached.abort();
    const snapshot = await detached.wait();
    expect(snapshot).toMatchObject({ status: "aborted", finishReason: "aborted" });
    expect(Date.parse(snapshot.updatedAt!)).toBeGreaterThan(Date.parse(snapshot.createdAt));
  });

  test("ends what waits in the run as well, and what others queued goes on", async () => {
    const agent = slowAgent({ store: await createStore() }, async (text, { signal }) => {
      if (text !== "other") await untilAborted(signal);
    });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.sendText("b");
    const other = agent.runText("other", { sessionId: "s", onBusy: "queue" });
    await sleep(20);
    await agent.abort(connection.runId);
    expect(await connection.output()).toMatchObject({ finishReason: "aborted" });
    expect(await other).toMatchObject({ finishReason: "stop" });
    const statuses = (await agent.listSnapshots("s")).map(({ status }) => status);
    expect(statuses).toEqual(["aborted", "aborted", "completed"]);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["other", "re: other"]);
  });

  test("a step after the abort is not begun", async () => {
    const effects: string[] = [];
    const gate = gateOf();
    const over = gateOf();
    const agent = slowAgent({ store: await createStore() }, async (__, turn) => {
      await gate.promise;
      const step = turn.step({ name: "pay", input: null }, () => effects.push("paid"));
      await step.catch(() => {});
      over.open();
    });
    const detached = await agent.detach(user("a"), { sessionId: "s" });
    await detached.abort();
    gate.open();
    await over.promise;
    expect(effects).toEqual([]);
  });

  test("a handler that ignores it keeps the slot until it lets go", async () => {
    const gate = gateOf();
    const limits = { leaseMs: LONG_LEASE_MS };
    const agent = slowAgent({ store: await createStore(), limits }, async (text) => {
      if (text === "deaf") await gate.promise;
    });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("deaf");
    await agent.abort(connection.runId);
    expect(await connection.output()).toMatchObject({ finishReason: "aborted" });
    // While the deaf one may still be busy with its tools, the next turn waits.
    await expect(agent.runText("b", { sessionId: "s" })).rejects.toMatchObject({
      reason: "SESSION_BUSY",
    });
    const next = agent.runText("c", { sessionId: "s", onBusy: "queue" });
    gate.open();
    expect(await next).toMatchObject({ finishReason: "stop" });
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["c", "re: c"]);
  });

  test("a handler that ignores it keeps the slot for a lease at most", async () => {
    const gate = gateOf();
    const limits = { leaseMs: 400 };
    const agent = slowAgent({ store: await createStore(), limits }, async (text) => {
      if (text === "deaf") await gate.promise;
    });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("deaf");
    await agent.abort(connection.runId);
    const next = await agent.runText("c", { sessionId: "s", onBusy: "queue" });
    expect(next.finishReason).toBe("stop");
    gate.open();
    await sleep(20);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["c", "re: c"]);
  });
});

describe("aborting from another process", () => {
  test.each([0, 60, 200])("%i ms into a turn, the signal does not wait for a lease", async (ms) => {
    const file = databaseFile();
    const limits = { leaseMs: LONG_LEASE_MS };
    const reasons: unknown[] = [];
    const begun = gateOf();
    const worker = slowAgent({ store: await openShared(file), limits }, async (_, { signal }) => {
      begun.open();
      await untilAborted(signal).catch((reason: unknown) => reasons.push(reason));
    });
    const other = slowAgent({ store: await openShared(file), limits });
    const connection = worker.connect({ sessionId: "s" });
    await connection.sendText("a");
    await begun.promise;
    await sleep(ms);
    expect(await other.abort(connection.runId)).toMatchObject({ status: "aborted" });
    await until(() => reasons.length === 1);
    expect(reasons).toMatchObject([{ reason: "RUN_ABORTED" }]);
    expect(await connection.output()).toMatchObject({ finishReason: "aborted" });
    const types = (await collect(other.attach(connection.runId))).map(({ type }) => type);
    expect(types).toEqual(["chunk", "turnEnd", "runEnd"]);
  });

  test("while the agent streams: the output says aborted, not taken", async () => {
    const file = databaseFile();
    const worker = defineCustomAgent(
      { name: "slow", store: await openShared(file) },
      async ({ session, respond }) => {
        await session.run(async (_, { signal }) => {
          for (;;) {
            respond.text("la");
            await sleep(2);
            signal.throwIfAborted();
          }
        });
      },
    );
    const other = slowAgent({ store: await openShared(file) });
    for (let race = 0; race < 10; race += 1) {
      const connection = worker.connect({ sessionId: `s-${race}` });
      await connection.sendText("a");
      await sleep(10 * race);
      await other.abort(connection.runId);
      expect(await connection.output()).toMatchObject({ finishReason: "aborted" });
    }
  });
});
