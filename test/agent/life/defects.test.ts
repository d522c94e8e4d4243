import { describe, expect, test } from "vitest";
import { echoAgent, textsOf, user } from "../agents.ts";
import { slowAgent } from "./slow-agent.ts";
import { databaseFile, openShared, STORES } from "./stores.ts";
import { sweepNow } from "./sweep-now.ts";
import { unreliable } from "./unreliable-store.ts";
import { collect, gateOf, sleep, until, untilAborted } from "./waiting.ts";

// What went wrong elsewhere, and must not here. The numbers are those of the research notes.
describe.each(STORES)("over %s", (_, createStore) => {
  test("W1: a detached snapshot is never its own parent, and its session goes on by its id", async () => {
    const agent = slowAgent({ store: await createStore() }, (text) => {
      if (text === "c") throw new Error("no");
    });
    const first = await agent.runText("a", { sessionId: "s" });
    const second = await (await agent.detach(user("b"), { sessionId: "s" })).wait();
    expect(second.parentId).toBe(first.snapshotId);
    const third = await (await agent.detach(user("c"), { sessionId: "s" })).wait();
    expect(third).toMatchObject({ status: "failed", parentId: second.snapshotId });
    const fourth = await agent.runText("d", { sessionId: "s" });
    expect((await agent.getSnapshot(fourth.snapshotId!)).parentId).toBe(third.snapshotId);
  });

  test("W2: keeping only the last snapshots and detaching together end", async () => {
    const store = await createStore();
    const agent = slowAgent({ store });
    const swept = { agent: agent.name, sessionId: "s" };
    for (const text of ["a", "b", "c", "d"]) {
      const detached = await agent.detach(user(text), { sessionId: "s" });
      expect(await detached.wait()).toMatchObject({ status: "completed" });
      await sweepNow(store, swept, { snapshots: { keepLast: 2 } });
    }
    expect(await agent.listSnapshots("s")).toHaveLength(2);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toHaveLength(8);
  });

  test("W3: detaching while a turn runs ends its snapshot, with the turn's result", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, () => gate.promise);
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.send({ detach: true });
    const { snapshotId = "" } = await connection.output();
    gate.open();
    const done = await agent.waitFor(snapshotId);
    expect(done.status).toBe("completed");
    expect(textsOf(done.state)).toEqual(["a", "re: a"]);
  });

  test("W4: a detached run with three inputs is completed after the third, and holds all of them", async () => {
    const gates = [gateOf(), gateOf(), gateOf()];
    const agent = slowAgent({ store: await createStore() }, (text) => gates[Number(text)]!.promise);
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["0", "1", "2"]) await connection.sendText(text);
    await connection.detach();
    const { snapshotId = "" } = await connection.output();
    for (const gate of gates) {
      expect((await agent.getSnapshot(snapshotId)).status).toBe("pending");
      await sleep(20);
      gate.open();
    }
    const done = await agent.waitFor(snapshotId);
    expect(textsOf(done.state)).toEqual(["0", "re: 0", "1", "re: 1", "2", "re: 2"]);
  });

  test("W5: the end of a detached run changes neither its creation time nor its parent", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, (text) =>
      text === "b" ? gate.promise : undefined,
    );
    await agent.runText("a", { sessionId: "s" });
    const { snapshotId, wait } = await agent.detach(user("b"), { sessionId: "s" });
    const pending = await agent.getSnapshot(snapshotId);
    await sleep(15);
    gate.open();
    const done = await wait();
    expect([done.createdAt, done.parentId]).toEqual([pending.createdAt, pending.parentId]);
    expect(Date.parse(done.updatedAt!)).toBeGreaterThan(Date.parse(done.createdAt));
    expect(done.heartbeatAt).toBeUndefined();
  });

  test("W7: how long a worker may be silent is the agent's to say", async () => {
    const gate = gateOf();
    const limits = { leaseMs: 300 };
    const agent = slowAgent({ store: await createStore(), limits }, () => gate.promise);
    const { snapshotId } = await agent.detach(user("a"), { sessionId: "s" });
    const beats = new Set<string | undefined>();
    await until(async () => {
      beats.add((await agent.getSnapshot(snapshotId)).heartbeatAt);
      return beats.size >= 4;
    });
    gate.open();
    expect(await agent.waitFor(snapshotId)).toMatchObject({ status: "completed" });
  });

  test("W8: a message while a detached turn runs does not fork the session", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, (text) =>
      text === "b" ? gate.promise : undefined,
    );
    await agent.runText("a", { sessionId: "s" });
    const detached = await agent.detach(user("b"), { sessionId: "s" });
    await expect(agent.runText("c", { sessionId: "s" })).rejects.toMatchObject({
      reason: "SESSION_BUSY",
    });
    const queued = agent.runText("d", { sessionId: "s", onBusy: "queue" });
    await sleep(10);
    gate.open();
    await detached.wait();
    await queued;
    const texts = ["a", "b", "d"].flatMap((text) => [text, `re: ${text}`]);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(texts);
  });

  test("W9: an aborted snapshot says why it ended and when", async () => {
    const agent = slowAgent({ store: await createStore() }, (__, { signal }) =>
      untilAborted(signal),
    );
    const detached = await agent.detach(user("a"), { sessionId: "s" });
    await sleep(15);
    await detached.abort();
    const [row] = await agent.listSnapshots("s");
    expect(row).toMatchObject({ status: "aborted", finishReason: "aborted" });
    expect(Date.parse(row!.updatedAt!)).toBeGreaterThan(Date.parse(row!.createdAt));
  });

  test("W10: an abort reaches the step that runs, and no step is begun after it", async () => {
    const steps: string[] = [];
    const agent = slowAgent({ store: await createStore() }, async (__, turn) => {
      const first = turn.step({ name: "first", input: null }, async ({ signal }) => {
        steps.push("first begun");
        await untilAborted(signal).catch(() => steps.push("first told"));
        return null;
      });
      await first.catch(() => {});
      const second = turn.step({ name: "second", input: null }, () => steps.push("second begun"));
      await second.catch(() => steps.push("second refused"));
    });
    const { abort } = await agent.detach(user("a"), { sessionId: "s" });
    await until(() => steps.length === 1);
    await abort();
    await until(() => steps.length === 3);
    expect(steps).toEqual(["first begun", "first told", "second refused"]);
  });

  test("W11: a foreground turn can be aborted by its run and by its reserved snapshot", async () => {
    const reserved: string[] = [];
    const agent = slowAgent({ store: await createStore() }, async (__, turn) => {
      reserved.push(turn.snapshotId!);
      await untilAborted(turn.signal);
    });
    const byRun = agent.connect({ sessionId: "s" });
    await byRun.sendText("a");
    await until(() => reserved.length === 1);
    expect(await agent.abort(byRun.runId)).toMatchObject({ status: "aborted" });
    expect((await byRun.output()).finishReason).toBe("aborted");
    const bySnapshot = agent.runText("b", { sessionId: "s" });
    await until(() => reserved.length === 2);
    expect(await agent.abort(reserved[1]!)).toMatchObject({ status: "aborted" });
    expect((await bySnapshot).finishReason).toBe("aborted");
  });

  test("W11: a client's own signal stops its turn; going away does not, and what it made can be found", async () => {
    const begun = gateOf();
    const agent = slowAgent({ store: await createStore() }, (text, { signal }) => {
      begun.open();
      return text === "stop" ? untilAborted(signal) : sleep(20);
    });
    const caller = new AbortController();
    const stopped = agent.runText("stop", { sessionId: "s", signal: caller.signal });
    await begun.promise;
    caller.abort();
    expect((await stopped).finishReason).toBe("aborted");
    const { runId, chunks } = agent.streamText("left", { sessionId: "s" });
    await chunks[Symbol.asyncIterator]().next();
    const types = (await collect(agent.attach(runId))).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(["turnEnd", "runEnd"]);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["left", "re: left"]);
  });

  test("W18: of two turns at once on one session, none vanishes", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, (text) =>
      text === "a" ? undefined : gate.promise,
    );
    await agent.runText("a", { sessionId: "s" });
    const runs = ["b", "c"].map((text) => agent.runText(text, { sessionId: "s" }));
    // The one that won goes on when the other was refused.
    for (const run of runs) run.catch(gate.open);
    const both = await Promise.allSettled(runs);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const won = both[0]?.status === "fulfilled" ? "b" : "c";
    const texts = textsOf((await agent.getLatestSnapshot("s")).state);
    expect(texts).toEqual(["a", "re: a", won, `re: ${won}`]);
  });

  test("W23: what is sent after the end is refused", async () => {
    const agent = echoAgent({ store: await createStore() });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.output();
    await expect(connection.sendText("b")).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
      reason: "RUN_OVER",
    });
  });
});

test("W6: the detached work of a process that is gone is finished by another", async () => {
  const file = databaseFile();
  const gone = unreliable(await openShared(file));
  const limits = { leaseMs: 300 };
  const first = slowAgent({ store: gone.store, limits }, (_, { signal }) => untilAborted(signal));
  const { snapshotId } = await first.detach(user("a"), { sessionId: "s" });
  gone.fails = () => true;
  const second = slowAgent({ store: await openShared(file), limits });
  const done = await second.waitFor(snapshotId);
  expect(done).toMatchObject({ status: "completed", snapshotId });
  expect(textsOf(done.state)).toEqual(["a", "re: a"]);
});
