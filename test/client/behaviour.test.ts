import type { Agent, Json, LocalAgent, SessionStore } from "turnkeep";
import type { RemoteAgent } from "turnkeep/client";
import { describe, expect, test } from "vitest";
import { echoAgent, textOf, textsOf, user } from "../agent/agents.ts";
import { STORES } from "../agent/authoring/stores.ts";
import { agentOf, collect, errorOf, model } from "../agent/authoring/turns.ts";
import { gateOf, until } from "../agent/life/waiting.ts";
import { behindHttp } from "./remote.ts";

type AnyPlace = (agent: LocalAgent) => Promise<LocalAgent | RemoteAgent>;

const PLACES: readonly (readonly [string, AnyPlace])[] = [
  ["in this process", async (agent) => agent],
  ["behind HTTP", (agent) => behindHttp(agent)],
];

const CASES = PLACES.flatMap(([place, at]) =>
  STORES.map(([store, openStore]) => [`${place} over ${store}`, at, openStore] as const),
);

type Tested = Pick<Agent, Exclude<keyof Agent, "connect">> & {
  connect: RemoteAgent["connect"];
};

describe.each(CASES)("an agent %s", (_title, at, openStore) => {
  async function place(make: (store: SessionStore) => LocalAgent): Promise<Tested> {
    return await at(make(await openStore()));
  }

  test("goes on with its session", async () => {
    const agent = await place((store) => echoAgent({ store }));
    const first = await agent.runText("one", { sessionId: "s" });
    const second = await agent.runText("two", { sessionId: "s" });
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["one", "ONE", "two", "TWO"]);
    expect(second.snapshotId).not.toBe(first.snapshotId);
    expect((await agent.getSnapshot(second.snapshotId!)).parentId).toBe(first.snapshotId);
  });

  test("takes any session id", async () => {
    const agent = await place((store) => echoAgent({ store }));
    for (const sessionId of ["user 42/#?", "日本語", "__proto__", "a.b", "..a", "%2e"]) {
      const { sessionId: said } = await agent.runText("hi", { sessionId });
      expect(said).toBe(sessionId);
      expect(textsOf((await agent.getLatestSnapshot(sessionId)).state)).toEqual(["hi", "HI"]);
      expect(await agent.deleteSession(sessionId)).toEqual({ sessionId, linked: [] });
      expect(await agent.deleteSession(sessionId)).toBeUndefined();
    }
  });

  test("says of its snapshots which turn made them, and what they hold", async () => {
    const agent = await place((store) => echoAgent({ store }));
    for (const text of ["a", "b"]) await agent.runText(text, { sessionId: "s" });
    const [first, second] = await agent.listSnapshots("s");
    expect([first, second]).toMatchObject([
      { turnIndex: 0, event: "turn-end" },
      { turnIndex: 0, event: "turn-end" },
    ]);
    expect(first?.contentHash).toMatch(/^[\w-]{22}$/);
    expect(first?.contentHash).not.toBe(second?.contentHash);
    expect(await agent.getSnapshot(second!.snapshotId)).toMatchObject(second!);
  });

  test("lists snapshots with their states, page by page", async () => {
    const agent = await place((store) => echoAgent({ store }));
    for (const text of ["a", "b", "c"]) await agent.runText(text, { sessionId: "s" });
    const page = await agent.listSnapshots("s", { withState: true, limit: 2 });
    expect(page.map(({ state }) => textsOf(state))).toEqual([
      ["a", "A"],
      ["a", "A", "b", "B"],
    ]);
    const after = page[1]!.snapshotId;
    const rest = await agent.listSnapshots("s", { withState: true, after });
    expect(rest.map(({ state }) => textsOf(state).at(-1))).toEqual(["C"]);
    const last = rest[0]!.snapshotId;
    expect(await agent.listSnapshots("s", { withState: true, after: last })).toEqual([]);
  });

  test("says which snapshots a run saved, those of tool rounds among them", async () => {
    const agent = await place((store) =>
      agentOf({ store, snapshotWhen: ["turnEnd", "toolRound"] }, async (_tools, turn) => {
        await turn.endToolRound();
      }),
    );
    const { snapshotIds, snapshotId } = await agent.runText("go", { sessionId: "s" });
    const listed = await agent.listSnapshots("s");
    expect(snapshotIds).toEqual(listed.map((snapshot) => snapshot.snapshotId));
    expect(listed.map(({ event }) => event)).toEqual(["tool-round", "turn-end"]);
    expect((await agent.getOutput(snapshotId!)).snapshotIds).toEqual(snapshotIds);
  });

  test("notes metadata of a session, and finds sessions by it", async () => {
    const agent = await place((store) => echoAgent({ store }));
    for (const userId of ["ada", "bo"]) {
      await agent.runText("a", { sessionId: `of-${userId}`, metadata: { userId } });
    }
    const found = async (metadata: { userId: string }): Promise<readonly unknown[]> =>
      (await agent.listSessions({ metadata })).sessions.map(({ sessionId, metadata: noted }) => [
        sessionId,
        noted,
      ]);
    expect(await found({ userId: "ada" })).toEqual([["of-ada", { userId: "ada" }]]);
    await agent.label("of-bo", { about: { metadata: { userId: "cy", rating: 5 } } });
    expect(await found({ userId: "bo" })).toEqual([]);
    expect(await found({ userId: "cy" })).toEqual([["of-bo", { userId: "cy", rating: 5 }]]);
  });

  test("deletes a session with those that belong to it, and says which", async () => {
    const helper = { agent: "helper", sessionId: "s:helper" };
    const agent = await place((store) =>
      agentOf({ store }, async (_tools, turn) => {
        await turn.linkSession(helper);
        await echoAgent({ name: "helper", store }).runText("hi", { sessionId: helper.sessionId });
      }),
    );
    await agent.runText("go", { sessionId: "s" });
    expect(await agent.deleteSession("s")).toEqual({ sessionId: "s", linked: [helper] });
  });

  test("streams its words in order, also those beyond ASCII", async () => {
    const words = ["Grüße, ", "日本 ", "🦊", "\u2028", "end"];
    const agent = await place((store) =>
      agentOf({ store }, ({ respond }) => {
        for (const word of words) respond.text(word);
      }),
    );
    const { chunks, output } = agent.streamText("go", { sessionId: "s" });
    const seen = await collect(chunks);
    expect(
      seen.flatMap(({ modelChunk }) => modelChunk?.content ?? []).map(({ text }) => text),
    ).toEqual(words);
    expect(seen.at(-1)?.turnEnd?.snapshotId).toBe((await output).snapshotId);
  });

  test("takes several turns on one connection, and breaking out of the loop ends nothing", async () => {
    const agent = await place((store) => echoAgent({ store }));
    const connection = agent.connect({ sessionId: "s" });
    const heard: string[] = [];
    for (const text of ["one", "two", "three"]) {
      await connection.sendText(text);
      for await (const { modelChunk, turnEnd } of connection.receive()) {
        if (modelChunk) heard.push(textOf(modelChunk));
        if (turnEnd) break;
      }
    }
    const output = await connection.output();
    expect(await connection.output()).toEqual(output);
    expect(heard).toEqual(["ONE", "TWO", "THREE"]);
    expect(textOf(output.message)).toBe("THREE");
    await connection.done;
    expect((await errorOf(() => connection.sendText("four"))).status).toBe("FAILED_PRECONDITION");
  });

  test("takes inputs ahead of their turns", async () => {
    const agent = await place((store) => echoAgent({ store }));
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["one", "two", "three"]) await connection.sendText(text);
    const output = connection.output();
    const chunks = await collect(connection.receive());
    expect(chunks.flatMap(({ modelChunk }) => (modelChunk ? [textOf(modelChunk)] : []))).toEqual([
      "ONE",
      "TWO",
      "THREE",
    ]);
    expect(chunks.filter(({ turnEnd }) => turnEnd)).toHaveLength(3);
    expect(textOf((await output).message)).toBe("THREE");
  });

  test("shows its state live", async () => {
    const agent = await place((store) =>
      agentOf({ store }, ({ session }) => {
        for (let count = 1; count <= 5; count += 1) session.setCustom({ count, same: "x" });
      }),
    );
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("go");
    connection.close();
    const seen: unknown[] = [];
    for await (const { customPatch } of connection.receive()) {
      if (customPatch) seen.push((connection.custom() as { count: number }).count);
    }
    expect(seen.at(-1)).toBe(5);
    expect(connection.custom()).toEqual({ count: 5, same: "x" });
  });

  test("says why a turn failed, and what is misuse", async () => {
    const agent = await place((store) =>
      agentOf({ store }, () => {
        throw Object.assign(new Error("no"), { status: "PERMISSION_DENIED" });
      }),
    );
    const failed = await agent.runText("go", { sessionId: "s" });
    expect(failed.finishReason).toBe("failed");
    expect(failed.error?.status).toBe("PERMISSION_DENIED");
    const missing = await agent.runText("go", { snapshotId: "s.01m7gzyfap9dxmn754f4rmz5vd" });
    expect(missing.finishReason).toBe("failed");
    expect(missing.error?.status).toBe("NOT_FOUND");
    const misuse = await errorOf(() => agent.runText("go", { state: {} }));
    expect(misuse.status).toBe("FAILED_PRECONDITION");
    expect((await errorOf(() => agent.getSnapshot("s.nothing"))).status).toBe("NOT_FOUND");
    expect((await errorOf(() => agent.getLatestSnapshot("nobody"))).status).toBe("NOT_FOUND");
    expect((await errorOf(() => collect(agent.attach("s.nothing")))).status).toBe("NOT_FOUND");
    expect(await agent.abort("s.nothing")).toEqual({});
  });

  test("refuses a second turn at once, or lets it wait", async () => {
    const gate = gateOf();
    const agent = await place((store) => agentOf({ store }, () => gate.promise));
    const first = agent.runText("one", { sessionId: "s" });
    await until(
      async () => (await agent.listSessions({ activity: "active" })).sessions.length === 1,
    );
    const busy = await errorOf(() => agent.runText("two", { sessionId: "s" }));
    expect([busy.status, busy.reason, busy.retryable]).toEqual(["ABORTED", "SESSION_BUSY", true]);
    const second = agent.runText("three", { sessionId: "s", onBusy: "queue" });
    gate.open();
    await Promise.all([first, second]);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["one", "three"]);
  });

  test("ends by its caller's signal", async () => {
    const agent = await place((store) =>
      agentOf({ store }, async ({ respond }, { signal }) => {
        respond.text("working");
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        });
      }),
    );
    const stop = new AbortController();
    const { chunks, output } = agent.streamText("go", { sessionId: "s", signal: stop.signal });
    for await (const { modelChunk } of chunks) if (modelChunk) break;
    stop.abort();
    expect((await output).finishReason).toBe("aborted");
    const [snapshot] = await agent.listSnapshots("s");
    expect(snapshot?.status).toBe("aborted");
    const late = await agent
      .runText("again", { sessionId: "s", signal: stop.signal })
      .catch((error: unknown) => error);
    expect(late).toBe(stop.signal.reason);
  });

  test("goes on when nobody reads", async () => {
    const gate = gateOf();
    const agent = await place((store) =>
      agentOf({ store }, async ({ session, respond }) => {
        respond.text("begun");
        await gate.promise;
        session.addMessages(model("done"));
      }),
    );
    const { chunks } = agent.streamText("go", { sessionId: "s" });
    for await (const { modelChunk } of chunks) if (modelChunk) break;
    gate.open();
    await until(async () => (await agent.listSessions({ activity: "idle" })).sessions.length === 1);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["go", "done"]);
  });

  test("detaches, is waited for, watched and aborted", async () => {
    const gate = gateOf();
    const agent = await place((store) =>
      agentOf({ store }, async ({ session, respond }, _turn, text) => {
        if (text === "stuck") return await new Promise(() => {});
        respond.text("one");
        await gate.promise;
        respond.text("two");
        session.addMessages(model("done"));
        return { finishReason: "stop" };
      }),
    );
    const run = await agent.detach(user("go"), { sessionId: "s" });
    expect((await agent.getSnapshot(run.snapshotId)).status).toBe("pending");
    const watched = collect(agent.attach(run.runId));
    gate.open();
    expect((await run.wait()).status).toBe("completed");
    expect((await agent.waitFor(run.snapshotId)).finishReason).toBe("stop");
    expect(textOf((await agent.getOutput(run.snapshotId)).message)).toBe("done");
    const words = (await watched).flatMap(({ chunk }) => chunk?.modelChunk?.content ?? []);
    expect(words).toEqual([{ text: "one" }, { text: "two" }]);
    const stuck = await agent.detach(user("stuck"), { sessionId: "other" });
    expect(await stuck.abort()).toEqual({ status: "aborted", previousStatus: "pending" });
    expect(await stuck.abort()).toEqual({ status: "aborted", previousStatus: "aborted" });
    const stop = new AbortController();
    const waiting = agent.waitFor(
      (await agent.detach(user("stuck"), { sessionId: "third" })).snapshotId,
      { signal: stop.signal },
    );
    stop.abort("enough");
    await expect(waiting).rejects.toBe("enough");
  });

  test("a connection can be detached in mid-turn", async () => {
    const gate = gateOf();
    const agent = await place((store) =>
      agentOf({ store }, async ({ session, respond }) => {
        respond.text("one");
        await gate.promise;
        session.addMessages(model("done"));
      }),
    );
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("go");
    for await (const { modelChunk } of connection.receive()) if (modelChunk) break;
    await connection.detach();
    const { finishReason, snapshotId = "" } = await connection.output();
    expect(finishReason).toBe("detached");
    gate.open();
    expect(textsOf((await agent.waitFor(snapshotId)).state)).toEqual(["go", "done"]);
  });

  test("answers a request that is sent again as it did before", async () => {
    const agent = await place((store) => echoAgent({ store }));
    const options = { sessionId: "s", requestId: "once-and-only-once" };
    const first = await agent.runText("hi", options);
    expect(await agent.runText("hi", options)).toEqual(first);
    const other = await errorOf(() => agent.runText("ho", options));
    expect(other.reason).toBe("IDEMPOTENCY_MISMATCH");
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["hi", "HI"]);
  });

  test("branches, forks, compares, labels and moves sessions", async () => {
    const agent = await place((store) => echoAgent({ store }));
    const one = await agent.runText("one", { sessionId: "s" });
    const two = await agent.runText("two", { sessionId: "s" });
    const branch = await agent.runText("other", { snapshotId: one.snapshotId! });
    expect((await agent.getSnapshot(branch.snapshotId!)).parentId).toBe(one.snapshotId);
    const { messages } = await agent.diff(one.snapshotId!, two.snapshotId!);
    expect([messages.common, messages.added.length]).toEqual([2, 2]);
    const forked = await agent.fork(one.snapshotId!, { sessionId: "fork" });
    expect(textsOf(forked.state)).toEqual(["one", "ONE"]);
    expect((await agent.fork(one.snapshotId!)).sessionId).not.toBe("s");
    const taken = await errorOf(() => agent.fork(one.snapshotId!, { sessionId: "fork" }));
    expect(taken.status).toBe("ALREADY_EXISTS");
    expect(await agent.label("s", { label: "good", snapshotId: one.snapshotId! })).toBeUndefined();
    const lines = await collect(agent.exportSession("s"));
    expect(await agent.importSession("copy", lines)).toMatchObject({
      kind: "imported",
      snapshots: 3,
    });
    expect(await agent.importSession("copy", lines)).toEqual({ kind: "exists" });
    const { sessions, next } = await agent.listSessions({ limit: 2 });
    expect(sessions).toHaveLength(2);
    expect((await agent.listSessions({ limit: 2, after: next! })).sessions).toHaveLength(2);
  });
});

describe.each(PLACES)("an agent without a store %s", (_place, at) => {
  test("is carried from turn to turn", async () => {
    const agent = await at(echoAgent());
    const first = await agent.runText("one");
    expect(textsOf(first.state)).toEqual(["one", "ONE"]);
    const second = await agent.runText("two", { state: first.state! });
    expect(textsOf(second.state)).toEqual(["one", "ONE", "two", "TWO"]);
    const connection = agent.connect({ state: second.state! });
    await connection.sendText("three");
    for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    await connection.sendText("four");
    const { state } = await connection.output();
    expect(textsOf(state as { messages: never })).toHaveLength(8);
    const kept = (await errorOf(() => agent.getLatestSnapshot("s"))).status;
    expect(["FAILED_PRECONDITION", "UNIMPLEMENTED"]).toContain(kept);
  });

  test("ends by its caller's signal", async () => {
    let isStopped = false;
    const agent = (await at(
      agentOf<Json>({}, async ({ respond }, { signal }) => {
        respond.text("working");
        await new Promise((_resolve, reject) => {
          const stop = (): void => {
            isStopped = true;
            reject(signal.reason);
          };
          signal.addEventListener("abort", stop, { once: true });
        });
      }),
    )) as unknown as Tested;
    const stop = new AbortController();
    const { chunks, output } = agent.streamText("go", { signal: stop.signal });
    for await (const { modelChunk } of chunks) if (modelChunk) break;
    stop.abort();
    expect((await output).finishReason).toBe("aborted");
    await until(() => isStopped);
  });
});
