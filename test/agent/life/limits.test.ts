import { defineCustomAgent } from "turnkeep";
import { describe, expect, test } from "vitest";
import { echoAgent, textsOf, user } from "../agents.ts";
import { slowAgent } from "./slow-agent.ts";
import { STORES } from "./stores.ts";
import { collect, gateOf, until, untilAborted } from "./waiting.ts";

describe.each(STORES)("limits over %s", (_, createStore) => {
  test("a turn that takes too long fails with DEADLINE_EXCEEDED, and its signal aborts", async () => {
    const reasons: unknown[] = [];
    const limits = { turnMs: 40 };
    const store = await createStore();
    const agent = slowAgent({ store, limits }, async (_text, turn) => {
      await turn.step({ name: "wait", input: null }, async ({ signal }) => {
        for (const one of [turn.signal, signal]) {
          one.addEventListener("abort", () => reasons.push(one.reason));
        }
        return await untilAborted(signal);
      });
    });
    const late = { status: "DEADLINE_EXCEEDED" };
    expect(await agent.runText("long", { sessionId: "s" })).toMatchObject({
      finishReason: "failed",
      error: late,
    });
    await until(() => reasons.length === 2);
    expect(reasons).toMatchObject([late, late]);
    const unhurried = slowAgent({ store });
    expect(await unhurried.runText("b", { sessionId: "s" })).toMatchObject({
      finishReason: "stop",
    });
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["long", "b", "re: b"]);
  });

  test("a run takes so many turns and no more; the next run goes on", async () => {
    const agent = echoAgent({ store: await createStore(), limits: { turnsPerRun: 2 } });
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["a", "b", "c"]) await connection.sendText(text);
    expect(await connection.output()).toMatchObject({
      finishReason: "failed",
      error: { status: "RESOURCE_EXHAUSTED", details: { reason: "LIMIT_EXCEEDED" } },
    });
    const statuses = (await agent.listSnapshots("s")).map(({ status }) => status);
    expect(statuses.slice(0, 2)).toEqual(["completed", "completed"]);
    expect(["aborted", "failed"]).toContain(statuses[2]);
    expect(await agent.runText("d", { sessionId: "s" })).toMatchObject({ finishReason: "stop" });
  });

  test("a turn takes so many steps and no more", async () => {
    const limits = { stepsPerTurn: 2 };
    let taken = 0;
    const agent = slowAgent({ store: await createStore(), limits }, async (__, { step }) => {
      for (;;) await step({ name: "count", input: null }, () => (taken += 1));
    });
    expect(await agent.runText("a")).toMatchObject({
      finishReason: "failed",
      error: { status: "RESOURCE_EXHAUSTED" },
    });
    expect(taken).toBe(2);
  });

  test("so many inputs wait and no more: QUEUE_FULL, and nothing of it is kept", async () => {
    const gate = gateOf();
    const limits = { queuedInputs: 2 };
    const agent = slowAgent({ store: await createStore(), limits }, () => gate.promise);
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["a", "b", "c"]) await connection.sendText(text);
    await expect(connection.sendText("d")).rejects.toMatchObject({
      status: "RESOURCE_EXHAUSTED",
      reason: "QUEUE_FULL",
      retryable: true,
    });
    gate.open();
    await connection.output();
    const texts = ["a", "b", "c"].flatMap((text) => [text, `re: ${text}`]);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(texts);
  });

  test("a connection that nobody receives from holds a bounded number of chunks; the run is fine", async () => {
    const agent = defineCustomAgent(
      { name: "chatter", store: await createStore(), limits: { chunksPerTurn: 10 } },
      async ({ session, respond }) => {
        await session.run(async () => {
          for (let chunk = 0; chunk < 8; chunk += 1) respond.text(`${chunk}`);
          return { finishReason: "stop" };
        });
      },
    );
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["a", "b", "c"]) await connection.sendText(text);
    expect(await connection.output()).toMatchObject({ finishReason: "stop" });
    const received: unknown[] = [];
    const receiving = (async () => {
      for await (const chunk of connection.receive()) received.push(chunk);
    })();
    await expect(receiving).rejects.toMatchObject({ status: "RESOURCE_EXHAUSTED" });
    expect(received).toHaveLength(10);
    expect(await collect(agent.attach(connection.runId))).toHaveLength(3 * 9 + 1);
  });

  test("sending after the end is refused, and nothing of it is kept", async () => {
    const agent = echoAgent({ store: await createStore() });
    const over = { status: "FAILED_PRECONDITION", reason: "RUN_OVER" };
    const closed = agent.connect({ sessionId: "s" });
    await closed.sendText("a");
    await closed.output();
    await expect(closed.sendText("b")).rejects.toMatchObject(over);
    const detached = agent.connect({ sessionId: "t" });
    await detached.send({ ...user("a"), detach: true });
    await expect(detached.sendText("b")).rejects.toMatchObject(over);
    const aborted = agent.connect({ sessionId: "u" });
    await aborted.sendText("a");
    for await (const { turnEnd } of aborted.receive()) if (turnEnd) break;
    await agent.abort(aborted.runId);
    await expect(aborted.sendText("b")).rejects.toMatchObject(over);
    for (const sessionId of ["s", "u"])
      expect(await agent.listSnapshots(sessionId)).toHaveLength(1);
  });
});
