import { describe, expect, test } from "vitest";
import { chooseSeed, SeededRandom } from "../../chaos/seeded-random.ts";
import { printCounts } from "../../races/start-race.ts";
import { textsOf, user } from "../agents.ts";
import { withLateDetach } from "./late-detach.ts";
import { slowAgent } from "./slow-agent.ts";
import { STORES } from "./stores.ts";
import { collect, gateOf, sleep, until, untilAborted } from "./waiting.ts";

describe.each(STORES)("detaching a run over %s", (_, createStore) => {
  test("in the middle of a turn: one snapshot, its id and time of creation kept", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, () => gate.promise);
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.detach();
    const output = await connection.output();
    expect(output).toMatchObject({ finishReason: "detached", sessionId: "s" });
    const pending = await agent.getSnapshot(output.snapshotId!);
    expect(pending).toMatchObject({ status: "pending" });
    expect(pending.state).toBeUndefined();
    gate.open();
    const done = await agent.waitFor(output.snapshotId!);
    expect(done).toMatchObject({
      snapshotId: pending.snapshotId,
      createdAt: pending.createdAt,
      status: "completed",
      finishReason: "stop",
    });
    expect(textsOf(done.state)).toEqual(["a", "re: a"]);
    expect(await agent.listSnapshots("s")).toHaveLength(1);
  });

  test("with inputs waiting behind the turn: all of them end in its snapshot", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, () => gate.promise);
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["a", "b", "c", "d"]) await connection.sendText(text);
    await connection.detach();
    const { snapshotId = "" } = await connection.output();
    gate.open();
    const done = await agent.waitFor(snapshotId);
    const texts = ["a", "b", "c", "d"].flatMap((text) => [text, `re: ${text}`]);
    expect(textsOf(done.state)).toEqual(texts);
    expect(await agent.listSnapshots("s")).toHaveLength(1);
  });

  test("by its first input, over before that is known: it left all the same", async () => {
    const store = await createStore();
    const agent = slowAgent({ store: withLateDetach(store) }, () => {
      throw new Error("over at once");
    });
    const connection = agent.connect({ sessionId: "s" });
    await connection.send({ ...user("a"), detach: true });
    const output = await connection.output();
    expect(output).toMatchObject({ finishReason: "detached" });
    expect(await agent.waitFor(output.snapshotId!)).toMatchObject({ status: "failed" });
  });

  test("by an input without a message while a turn runs: no turn more, one snapshot", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, () => gate.promise);
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.send({ detach: true });
    const { snapshotId = "" } = await connection.output();
    gate.open();
    const done = await agent.waitFor(snapshotId);
    expect(done).toMatchObject({ status: "completed" });
    expect(textsOf(done.state)).toEqual(["a", "re: a"]);
    expect(await agent.listSnapshots("s")).toHaveLength(1);
  });

  test("by an input without a message as the first: the agent is not asked", async () => {
    const heard: string[] = [];
    const agent = slowAgent({ store: await createStore() }, (text) => void heard.push(text));
    const detached = await agent.detach({}, { sessionId: "s" });
    expect(await detached.wait()).toMatchObject({ status: "completed" });
    expect(heard).toEqual([]);
    await agent.runText("a", { sessionId: "s" });
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["a", "re: a"]);
  });

  test("before any turn: there is nothing to go on with, and the connection just ends", async () => {
    const agent = slowAgent({ store: await createStore() });
    const connection = agent.connect({ sessionId: "s" });
    await connection.detach();
    const output = await connection.output();
    expect(output.snapshotId).toBeUndefined();
    expect(output.finishReason).not.toBe("detached");
    await expect(connection.sendText("a")).rejects.toMatchObject({ status: "FAILED_PRECONDITION" });
  });

  test("streams nothing more to the connection, but everything to whoever attaches", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, () => gate.promise);
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    const received: unknown[] = [];
    const reading = (async () => {
      for await (const chunk of connection.receive()) received.push(chunk);
    })();
    await until(() => received.length === 1);
    await connection.detach();
    await reading;
    gate.open();
    const updates = await collect(agent.attach(connection.runId));
    expect(updates.map(({ type }) => type)).toEqual(["chunk", "chunk", "turnEnd", "runEnd"]);
    expect(received).toEqual([{ modelChunk: { content: [{ text: "hm, a" }] } }]);
  });

  test("leaves its session busy: another message is refused or waits, as the policy says", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, (text) =>
      text === "a" ? gate.promise : undefined,
    );
    const detached = await agent.detach(user("a"), { sessionId: "s" });
    await expect(agent.runText("b", { sessionId: "s" })).rejects.toMatchObject({
      reason: "SESSION_BUSY",
      details: { snapshotId: detached.snapshotId, runId: detached.runId },
    });
    const queued = agent.runText("c", { sessionId: "s", onBusy: "queue" });
    await sleep(20);
    gate.open();
    expect((await queued).finishReason).toBe("stop");
    const texts = ["a", "re: a", "c", "re: c"];
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(texts);
  });

  test("a failure ends the snapshot as failed, with its reason", async () => {
    const agent = slowAgent({ store: await createStore() }, (text) => {
      if (text === "b") throw new Error("no paper");
    });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.sendText("b");
    await connection.detach();
    const { snapshotId = "" } = await connection.output();
    const done = await agent.waitFor(snapshotId);
    expect(done).toMatchObject({ status: "failed", error: { message: "no paper" } });
    expect(textsOf(done.state)).toEqual(["a", "re: a", "b"]);
  });

  test("racing the turn's own end loses no input, 300 times", async () => {
    const random = new SeededRandom(chooseSeed(process.env["TURNKEEP_SEED"]));
    const left = gateOf();
    // The first waits until it was left; chance decides the others.
    const agent = slowAgent({ store: await createStore() }, (text) =>
      text === "first" ? left.promise : undefined,
    );
    const first = agent.connect({ sessionId: "first" });
    await first.sendText("first");
    await first.detach();
    expect((await first.output()).finishReason).toBe("detached");
    left.open();
    const counts = { detached: 0, ended: 0, snapshots: 0 };
    for (let race = 0; race < 300; race += 1) {
      const sessionId = `s-${race}`;
      const connection = agent.connect({ sessionId });
      const inputs = 1 + random.below(3);
      for (let input = 0; input < inputs; input += 1) await connection.sendText(`${input}`);
      for (let turns = random.below(30); turns > 0; turns -= 1) await Promise.resolve();
      if (random.chance(0.3)) await sleep(random.below(4));
      await connection.detach();
      const { finishReason, snapshotId = "" } = await connection.output();
      counts[finishReason === "detached" ? "detached" : "ended"] += 1;
      expect(await agent.waitFor(snapshotId)).toMatchObject({ status: "completed" });
      const texts = Array.from({ length: inputs }, (__, input) => [`${input}`, `re: ${input}`]);
      expect(textsOf((await agent.getLatestSnapshot(sessionId)).state)).toEqual(texts.flat());
      counts.snapshots += (await agent.listSnapshots(sessionId)).length;
    }
    printCounts("agent: detach against end", counts);
  });

  test("an abort racing the end of a detached run: answer, snapshot and events agree, 500 times", async () => {
    const random = new SeededRandom(chooseSeed(process.env["TURNKEEP_SEED"]));
    const agent = slowAgent({ store: await createStore() }, async (__, { signal }) => {
      await Promise.race([sleep(random.below(3)), untilAborted(signal)]);
    });
    const counts = { aborted: 0, completed: 0 };
    for (let race = 0; race < 500; race += 1) {
      const detached = await agent.detach(user("a"), { sessionId: `s-${race}` });
      if (random.chance(0.5)) await sleep(random.below(4));
      for (let turns = random.below(30); turns > 0; turns -= 1) await Promise.resolve();
      const { status } = await detached.abort();
      expect(["aborted", "completed"]).toContain(status);
      expect((await detached.wait()).status).toBe(status);
      const updates = await collect(agent.attach(detached.runId));
      const ends = updates.filter(({ type }) => type === "turnEnd");
      const finishReason = status === "aborted" ? "aborted" : "stop";
      expect(ends.map(({ chunk }) => chunk?.turnEnd?.finishReason)).toEqual([finishReason]);
      counts[status as keyof typeof counts] += 1;
    }
    printCounts("agent: abort against end", counts);
  });
});
