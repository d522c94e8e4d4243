import { defineCustomAgent, type SessionStore } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { echoAgent, textOf, textsOf, user } from "./agents.ts";
import { databaseFile, openShared } from "./life/stores.ts";
import { gateOf, until } from "./life/waiting.ts";

const STORES: Readonly<Record<string, () => Promise<SessionStore>>> = {
  memory: async () => new MemoryStore(),
  sqlite: () => openShared(databaseFile()),
};

describe.each(Object.entries(STORES))("talking to an agent over %s", (_, createStore) => {
  it("answers a turn and keeps it", async () => {
    const agent = echoAgent({ store: await createStore() });
    const output = await agent.runText("hi", { sessionId: "user-42" });
    expect(output).toMatchObject({
      sessionId: "user-42",
      finishReason: "stop",
      message: { role: "model" },
    });
    expect(output.state).toBeUndefined();
    const snapshot = await agent.getSnapshot(output.snapshotId!);
    expect(snapshot).toMatchObject({
      status: "completed",
      finishReason: "stop",
      sessionId: "user-42",
    });
    expect(textsOf(snapshot.state)).toEqual(["hi", "HI"]);
  });

  it("goes on by session id, by snapshot id, and by both when they agree", async () => {
    const agent = echoAgent({ store: await createStore() });
    const first = await agent.runText("a");
    const { sessionId, snapshotId = "" } = first;
    const second = await agent.runText("b", { sessionId });
    expect(textsOf((await agent.getSnapshot(second.snapshotId!)).state)).toEqual([
      "a",
      "A",
      "b",
      "B",
    ]);
    const branch = await agent.runText("c", { snapshotId, sessionId });
    expect(textsOf((await agent.getSnapshot(branch.snapshotId!)).state)).toEqual([
      "a",
      "A",
      "c",
      "C",
    ]);
    await expect(agent.runText("d", { snapshotId, sessionId: "other" })).rejects.toMatchObject({
      status: "INVALID_ARGUMENT",
      message: `Snapshot ${snapshotId} does not belong to session other (it belongs to ${sessionId}).`,
    });
    expect((await agent.getLatestSnapshot(sessionId)).snapshotId).toBe(branch.snapshotId);
  });

  it("streams one turn", async () => {
    const agent = echoAgent({ store: await createStore() });
    const { chunks, output } = agent.streamText("hi");
    const seen = [];
    for await (const chunk of chunks) seen.push(chunk);
    const { snapshotId } = await output;
    expect(seen).toEqual([
      { modelChunk: { content: [{ text: "HI" }] } },
      { turnEnd: { snapshotId, finishReason: "stop" } },
    ]);
  });

  it("holds a connection over several turns; breaking out of receive ends nothing", async () => {
    const agent = echoAgent({ store: await createStore() });
    const connection = agent.connect({ sessionId: "talk" });
    const heard: string[] = [];
    for (const text of ["one", "two", "three"]) {
      await connection.sendText(text);
      for await (const chunk of connection.receive()) {
        if (chunk.modelChunk) heard.push(textOf(chunk.modelChunk));
        if (chunk.turnEnd) break;
      }
    }
    expect(heard).toEqual(["ONE", "TWO", "THREE"]);
    const output = await connection.output();
    expect(await connection.output()).toBe(output);
    expect(textOf(output.message)).toBe("THREE");
    await expect(connection.sendText("four")).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
    });
    await connection.done;
    expect((await agent.listSnapshots("talk")).map(({ status }) => status)).toEqual([
      "completed",
      "completed",
      "completed",
    ]);
  });

  it("keeps a failed turn, says why, and tries again on an empty input", async () => {
    let failures = 1;
    const agent = defineCustomAgent(
      { name: "flaky", store: await createStore() },
      async ({ session }) => {
        await session.run(async () => {
          if (failures-- > 0) throw Object.assign(new Error("no luck"), { status: "UNAVAILABLE" });
          session.addMessages({ role: "model", content: [{ text: "there" }] });
          return { finishReason: "stop" };
        });
        return session.result();
      },
    );
    const failed = await agent.runText("hello?", { sessionId: "s" });
    expect(failed).toMatchObject({
      finishReason: "failed",
      error: { status: "UNAVAILABLE", message: "no luck" },
    });
    expect((await agent.getSnapshot(failed.snapshotId!)).status).toBe("failed");
    const retried = await agent.run({}, { sessionId: "s" });
    expect(retried.finishReason).toBe("stop");
    expect(textsOf((await agent.getSnapshot(retried.snapshotId!)).state)).toEqual([
      "hello?",
      "there",
    ]);
  });

  it("refuses a second turn at once by default, queues or interrupts when asked", async () => {
    const gates: (() => void)[] = [];
    const agent = defineCustomAgent(
      { name: "slow", store: await createStore() },
      async ({ session }) => {
        await session.run(async (input, { signal }) => {
          await new Promise<void>((resolve, reject) => {
            gates.push(resolve);
            signal.addEventListener("abort", () => reject(signal.reason));
          });
          session.addMessages({
            role: "model",
            content: [{ text: `re: ${textOf(input.message)}` }],
          });
          return { finishReason: "stop" };
        });
        return session.result();
      },
    );
    const first = agent.runText("a", { sessionId: "s" });
    await until(() => gates.length === 1);
    await expect(agent.runText("b", { sessionId: "s" })).rejects.toMatchObject({
      status: "ABORTED",
      reason: "SESSION_BUSY",
    });
    const queued = agent.runText("c", { sessionId: "s", onBusy: "queue" });
    gates[0]!();
    expect((await first).finishReason).toBe("stop");
    await until(() => gates.length === 2);
    const interrupting = agent.runText("d", { sessionId: "s", onBusy: "interrupt" });
    expect((await queued).finishReason).toBe("aborted");
    await until(() => gates.length === 3);
    gates[2]!();
    const last = await interrupting;
    expect(textsOf((await agent.getSnapshot(last.snapshotId!)).state)).toEqual([
      "a",
      "re: a",
      "d",
      "re: d",
    ]);
  });

  it("recognises a request sent again", async () => {
    const agent = echoAgent({ store: await createStore() });
    const first = await agent.runText("a", { sessionId: "s", requestId: "r1" });
    const again = await agent.runText("a", { sessionId: "s", requestId: "r1" });
    expect(again.snapshotId).toBe(first.snapshotId);
    expect(textOf(again.message)).toBe("A");
    await expect(agent.runText("b", { sessionId: "s", requestId: "r1" })).rejects.toMatchObject({
      reason: "IDEMPOTENCY_MISMATCH",
    });
  });

  it("runs in the background when detached, with all that waited, into one snapshot", async () => {
    const gate = gateOf();
    const agent = defineCustomAgent(
      { name: "report", store: await createStore() },
      async ({ session }) => {
        await session.run(async (input) => {
          await gate.promise;
          session.addMessages({
            role: "model",
            content: [{ text: `did ${textOf(input.message)}` }],
          });
          return { finishReason: "stop" };
        });
        return session.result();
      },
    );
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("draft");
    await connection.sendText("mail");
    await connection.detach();
    const output = await connection.output();
    expect(output.finishReason).toBe("detached");
    const pending = await agent.getSnapshot(output.snapshotId!);
    expect(pending).toMatchObject({ status: "pending" });
    gate.open();
    const done = await agent.waitFor(output.snapshotId!);
    expect(done).toMatchObject({
      status: "completed",
      snapshotId: output.snapshotId,
      createdAt: pending.createdAt,
    });
    expect(textsOf(done.state)).toEqual(["draft", "did draft", "mail", "did mail"]);
    expect(await agent.listSnapshots("s")).toHaveLength(1);
  });

  it("aborts what runs, in the foreground and detached, and answers how it stood", async () => {
    const agent = defineCustomAgent(
      { name: "endless", store: await createStore() },
      async ({ session }) => {
        await session.run(
          (_, { signal }) =>
            new Promise((__, reject) =>
              signal.addEventListener("abort", () => reject(signal.reason)),
            ),
        );
      },
    );
    const detached = await agent.detach(user("go"), { sessionId: "s" });
    expect(await detached.abort()).toEqual({ status: "aborted", previousStatus: "pending" });
    expect((await detached.wait()).status).toBe("aborted");
    expect(await detached.abort()).toEqual({ status: "aborted", previousStatus: "aborted" });
    expect(await agent.abort("no-such.thing")).toEqual({});
    const connection = agent.connect({ sessionId: "t" });
    await connection.sendText("go");
    expect(await agent.abort(connection.runId)).toMatchObject({ status: "aborted" });
    expect((await connection.output()).finishReason).toBe("aborted");
  });

  it("lets a reader attach to a run from any event on", async () => {
    const agent = echoAgent({ store: await createStore() });
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["a", "b"]) {
      await connection.sendText(text);
      for await (const chunk of connection.receive()) if (chunk.turnEnd) break;
    }
    await connection.output();
    const all = [];
    for await (const update of agent.attach(connection.runId)) all.push(update);
    expect(all.map(({ seq, type }) => [seq, type])).toEqual([
      [1, "chunk"],
      [2, "turnEnd"],
      [3, "chunk"],
      [4, "turnEnd"],
      [5, "runEnd"],
    ]);
    const rest = [];
    for await (const { seq } of agent.attach(connection.runId, { after: 2 })) rest.push(seq);
    expect(rest).toEqual([3, 4, 5]);
  });
});

describe("an agent without a store", () => {
  it("gives the state to the client and takes it back", async () => {
    const agent = echoAgent();
    const first = await agent.runText("a");
    expect(first.snapshotId).toBeUndefined();
    const second = await agent.runText("b", { state: first.state! });
    expect(second.sessionId).toBe(first.sessionId);
    expect(textsOf(second.state)).toEqual(["a", "A", "b", "B"]);
  });

  it("refuses ids and detaching, an agent with a store refuses state", async () => {
    const agent = echoAgent();
    await expect(agent.runText("a", { sessionId: "s" })).rejects.toThrow(
      "Cannot use 'sessionId' with agent 'echo': this agent has no store configured (client-managed state). Send 'state' instead.",
    );
    await expect(agent.run({ ...user("a"), detach: true })).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
    });
    const stored = echoAgent({ store: new MemoryStore() });
    await expect(stored.runText("a", { state: { messages: [] } })).rejects.toThrow(
      "Cannot send 'state' to agent 'echo'",
    );
  });
});
