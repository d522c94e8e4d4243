import { type AgentOptions, defineCustomAgent, type LocalAgent, type TurnContext } from "turnkeep";
import { describe, expect, test } from "vitest";
import { textOf, textsOf, user } from "../agents.ts";
import { databaseFile, openShared, STORES } from "./stores.ts";
import { collect, gateOf, until, untilAborted } from "./waiting.ts";

type When = NonNullable<AgentOptions<never>["snapshotWhen"]>;

const POLICIES: readonly (readonly [name: string, when: When])[] = [
  ["never", "never"],
  ["runEnd only", ["runEnd"]],
  ["a function that says no", () => false],
];

describe.each(STORES)("a turn that is not saved, over %s", (_, createStore) => {
  test.each(POLICIES)("names no snapshot in its turnEnd: %s", async (__, snapshotWhen) => {
    const agent = answering({ store: await createStore(), snapshotWhen });
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["a", "b"]) {
      await connection.sendText(text);
      for await (const { turnEnd } of connection.receive()) {
        if (turnEnd) expect(turnEnd).toEqual({ finishReason: "stop" });
        if (turnEnd) break;
      }
      expect(await agent.listSnapshots("s")).toEqual([]);
    }
    await connection.output();
    const updates = await collect(agent.attach(connection.runId));
    const ends = updates.flatMap(({ chunk }) => (chunk?.turnEnd ? [chunk.turnEnd] : []));
    expect(ends).toEqual([{ finishReason: "stop" }, { finishReason: "stop" }]);
  });

  test("tells its handler no id, where it is known that none will be saved", async () => {
    const told: TurnContext[] = [];
    const store = await createStore();
    for (const snapshotWhen of ["never", ["runEnd"]] as const) {
      const name = String(snapshotWhen);
      const agent = answering({ name, store, snapshotWhen }, (turn) => void told.push(turn));
      await agent.runText("a", { sessionId: "s" });
    }
    expect(told.map(({ snapshotId }) => snapshotId)).toEqual([undefined, undefined]);
  });

  test("leaves the head where it was: the session resumes from the last saved snapshot", async () => {
    let isSaved = true;
    const agent = answering({ store: await createStore(), snapshotWhen: () => isSaved });
    const saved = await agent.runText("a", { sessionId: "s" });
    isSaved = false;
    const unsaved = await agent.runText("b", { sessionId: "s" });
    expect(unsaved).not.toHaveProperty("snapshotId");
    expect(textOf(unsaved.message)).toBe("re: b");
    expect((await agent.getLatestSnapshot("s")).snapshotId).toBe(saved.snapshotId);
    expect(await agent.listSnapshots("s")).toHaveLength(1);
    isSaved = true;
    await agent.runText("c", { sessionId: "s" });
    const { state, parentId } = await agent.getLatestSnapshot("s");
    expect(parentId).toBe(saved.snapshotId);
    expect(textsOf(state)).toEqual(["a", "re: a", "c", "re: c"]);
  });

  test("goes on in memory within its run, also at a snapshot that the caller named", async () => {
    let isSaved = true;
    const agent = answering({ store: await createStore(), snapshotWhen: () => isSaved });
    const { snapshotId = "" } = await agent.runText("a", { sessionId: "s" });
    await agent.runText("b", { sessionId: "s" });
    isSaved = false;
    const connection = agent.connect({ snapshotId });
    for (const text of ["c", "d"]) {
      await connection.sendText(text);
      for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    }
    isSaved = true;
    await connection.sendText("e");
    for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    await connection.output();
    const { state, parentId } = await agent.getLatestSnapshot("s");
    expect(parentId).toBe(snapshotId);
    const texts = ["a", "c", "d", "e"].flatMap((text) => [text, `re: ${text}`]);
    expect(textsOf(state)).toEqual(texts);
  });

  test("can be waited for: it tells how it ended, and no state", async () => {
    const gate = gateOf();
    const store = await createStore();
    const agent = answering({ store, snapshotWhen: "never" }, () => gate.promise);
    const detached = await agent.detach(user("a"), { sessionId: "s" });
    expect(await agent.listSnapshots("s")).toMatchObject([{ status: "pending" }]);
    gate.open();
    const ended = await detached.wait();
    expect(ended).toMatchObject({ status: "completed", finishReason: "stop" });
    expect(ended.state).toBeUndefined();
    expect(await agent.getOutput(detached.snapshotId)).toEqual({
      sessionId: "s",
      finishReason: "stop",
    });
    expect(await agent.abort(detached.snapshotId)).toEqual({
      status: "completed",
      previousStatus: "completed",
    });
    expect(await agent.listSnapshots("s")).toEqual([]);
  });

  test("that failed says why", async () => {
    const store = await createStore();
    const agent = answering({ store, snapshotWhen: "never" }, () => {
      throw new Error("no paper");
    });
    const { snapshotId } = await agent.detach(user("a"), { sessionId: "s" });
    const failed = { finishReason: "failed", error: { message: "no paper" } };
    expect(await agent.getOutput(snapshotId)).toMatchObject(failed);
    expect(await agent.runText("b", { sessionId: "s" })).toMatchObject(failed);
  });

  test("is not taken in again when its request is repeated", async () => {
    let turns = 0;
    const store = await createStore();
    const agent = answering({ store, snapshotWhen: "never" }, () => void (turns += 1));
    const call = { sessionId: "s", requestId: "once" };
    const first = await agent.runText("a", call);
    expect(textOf(first.message)).toBe("re: a");
    expect(await agent.runText("a", call)).toEqual({ sessionId: "s", finishReason: "stop" });
    expect(turns).toBe(1);
  });

  test("is no place to resume from", async () => {
    const agent = answering({ store: await createStore(), snapshotWhen: "never" });
    const { snapshotId, wait } = await agent.detach(user("a"), { sessionId: "s" });
    await wait();
    const resumed = await agent.runText("b", { snapshotId });
    expect(resumed).toMatchObject({
      finishReason: "failed",
      error: { status: "NOT_FOUND", details: { reason: "NOT_CONTINUABLE" } },
    });
    await expect(agent.fork(snapshotId)).rejects.toMatchObject({ status: "NOT_FOUND" });
  });

  test("of a detached run is saved when either its turns or its end are to be", async () => {
    const store = await createStore();
    for (const snapshotWhen of [["turnEnd"], ["runEnd"]] as const) {
      const agent = answering({ name: snapshotWhen[0], store, snapshotWhen });
      const detached = await agent.detach(user("a"), { sessionId: "s" });
      expect(textsOf((await detached.wait()).state)).toEqual(["a", "re: a"]);
    }
  });
});

describe.each(STORES)("a run of which only the end is saved, over %s", (_, createStore) => {
  test("is saved with its last turn, whose turnEnd names no snapshot", async () => {
    const agent = answering({ store: await createStore(), snapshotWhen: ["runEnd"] });
    const { chunks, output } = agent.streamText("a", { sessionId: "s" });
    const ends = (await collect(chunks)).flatMap(({ turnEnd }) => (turnEnd ? [turnEnd] : []));
    expect(ends).toEqual([{ finishReason: "stop" }]);
    const { snapshotId } = await output;
    const snapshots = await agent.inspector.listSnapshots("s");
    expect(snapshots).toMatchObject([{ snapshotId, event: "invocation-end", messageCount: 2 }]);
  });

  test("is what the input that waited behind it goes on from", async () => {
    const gate = gateOf();
    const store = await createStore();
    const agent = answering({ store, snapshotWhen: ["runEnd"] }, () => gate.promise);
    const first = agent.runText("a", { sessionId: "s" });
    await until(async () => (await agent.listSnapshots("s")).length === 1);
    const second = agent.runText("b", { sessionId: "s", onBusy: "queue" });
    await until(async () => (await agent.listSnapshots("s")).length === 2);
    gate.open();
    expect((await first).finishReason).toBe("stop");
    const { snapshotId = "" } = await second;
    const { state, parentId } = await agent.getSnapshot(snapshotId);
    expect(parentId).toBe((await first).snapshotId);
    expect(textsOf(state)).toEqual(["a", "re: a", "b", "re: b"]);
  });
});

test("a turn that is not saved can be taken over by another process", async () => {
  const file = databaseFile();
  const options = { snapshotWhen: "never", limits: { leaseMs: 5000 } } as const;
  let hasBegun = false;
  const first = answering({ ...options, store: await openShared(file) }, async ({ signal }) => {
    hasBegun = true;
    await untilAborted(signal);
  });
  const { snapshotId } = await first.detach(user("a"), { sessionId: "s" });
  await until(() => hasBegun);
  await first.close();
  const second = answering({ ...options, store: await openShared(file) });
  expect(await second.waitFor(snapshotId)).toMatchObject({ status: "completed" });
  expect(await second.listSnapshots("s")).toEqual([]);
  await second.close();
});

/** Answers "re: …", after the test's own work. */
function answering(
  options: Partial<AgentOptions<never>>,
  meanwhile: (turn: TurnContext) => Promise<void> | void = () => {},
): LocalAgent {
  const given = { name: "answering", ...options } as AgentOptions<never>;
  return defineCustomAgent(given, async ({ session }) => {
    await session.run(async ({ message }, turn) => {
      await meanwhile(turn);
      session.addMessages({ role: "model", content: [{ text: `re: ${textOf(message)}` }] });
      return { finishReason: "stop" };
    });
    return session.result();
  }) as unknown as LocalAgent;
}
