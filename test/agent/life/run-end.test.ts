import {
  type AgentOptions,
  defineCustomAgent,
  type Json,
  type LocalAgent,
  type SessionStore,
  type TurnContext,
} from "turnkeep";
import { describe, expect, test } from "vitest";
import { textsOf } from "../agents.ts";
import { STORES } from "./stores.ts";
import { collect, gateOf, untilAborted } from "./waiting.ts";

describe.each(STORES)("state that changes after the last turn, over %s", (_, createStore) => {
  test("is saved by a snapshot that no turnEnd tells of, live or late", async () => {
    const agent = tidying(await createStore());
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.sendText("b");
    connection.close();
    const live = await collect(connection.events());
    const { snapshotId } = await connection.output();
    expect(live.filter(({ type }) => type === "turnEnd")).toHaveLength(2);
    const late = await collect(agent.attach(connection.runId));
    expect(late.filter(({ type }) => type === "turnEnd")).toHaveLength(2);
    expect(late.map(({ type }) => type).at(-1)).toBe("runEnd");
    const latest = await agent.getLatestSnapshot("s");
    expect(latest.snapshotId).toBe(snapshotId);
    expect(textsOf(latest.state)).toEqual(["a", "b", "tidied up"]);
  });

  test("is an event of its own to the inspector, and no other run", async () => {
    const agent = tidying(await createStore());
    await agent.runText("a", { sessionId: "s" });
    const snapshots = await agent.inspector.listSnapshots("s");
    expect(snapshots.map(({ event }) => event)).toEqual(["turn-end", "invocation-end"]);
    const runs = await agent.inspector.listRuns("s");
    expect(runs).toHaveLength(1);
    expect(runs[0]?.snapshotIds).toEqual(snapshots.map(({ snapshotId }) => snapshotId));
  });

  test("is what a late reader of the run is told as its output", async () => {
    const agent = tidying(await createStore());
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    const { snapshotId } = await connection.output();
    expect(await agent.findOutput(connection.runId)).toMatchObject({ snapshotId });
  });

  test("never takes the place of what another run added meanwhile", async () => {
    const gate = gateOf();
    const agent = tidying(await createStore(), () => gate.promise);
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    connection.close();
    const other = agent.connect({ sessionId: "s" });
    await other.sendText("b");
    for await (const { turnEnd } of other.receive()) if (turnEnd) break;
    gate.open();
    expect(await connection.output()).toMatchObject({
      finishReason: "failed",
      error: { status: "ABORTED", details: { reason: "STALE_HEAD" } },
    });
    await other.output();
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["a", "b", "tidied up"]);
  });

  test("never takes the place of what another run added, though its own start is pruned", async () => {
    const gate = gateOf();
    const retention = { snapshots: { keepLast: 1 } };
    const agent = tidying(await createStore(), () => gate.promise, { retention });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    connection.close();
    const other = agent.connect({ sessionId: "s" });
    await other.sendText("b");
    for await (const { turnEnd } of other.receive()) if (turnEnd) break;
    expect(await agent.listSnapshots("s")).toHaveLength(1);
    gate.open();
    expect(await connection.output()).toMatchObject({ error: { status: "ABORTED" } });
    const { snapshotId } = await other.output();
    expect(await agent.listSnapshots("s")).toMatchObject([{ snapshotId }]);
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["a", "b", "tidied up"]);
  });

  test("is saved behind another's turn that was aborted, whatever that had saved on the way", async () => {
    const [gate, hasSaved] = [gateOf(), gateOf()];
    const agent = tidying(
      await createStore(),
      () => gate.promise,
      {},
      async (turn) => {
        await turn.snapshot();
        hasSaved.open();
        await untilAborted(turn.signal);
      },
    );
    const connection = agent.connect({ sessionId: "s", context: { isQuick: true } });
    await connection.sendText("a");
    for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    connection.close();
    const other = agent.connect({ sessionId: "s" });
    await other.sendText("b");
    await hasSaved.promise;
    gate.open();
    await agent.abort(other.runId);
    expect(await other.output()).toMatchObject({ finishReason: "aborted" });
    const { snapshotId } = await connection.output();
    const latest = await agent.getLatestSnapshot("s");
    expect(latest.snapshotId).toBe(snapshotId);
    expect(textsOf(latest.state)).toEqual(["a", "tidied up"]);
    const listed = await agent.listSnapshots("s");
    expect(listed.map(({ event, status }) => `${event} ${status}`)).toEqual([
      "turn-end completed",
      "tool-round completed",
      "turn-end aborted",
      "invocation-end completed",
    ]);
    const round = await agent.getSnapshot(listed[1]?.snapshotId ?? "");
    expect(textsOf(round.state)).toEqual(["a", "b"]);
  });

  test("is not saved for a run that was aborted before it ended", async () => {
    const gate = gateOf();
    const agent = tidying(await createStore(), () => gate.promise);
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    await agent.abort(connection.runId);
    connection.close();
    gate.open();
    await connection.output();
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["a"]);
    expect(await agent.listSnapshots("s")).toHaveLength(1);
  });
});

/** Adds a message when its inputs are over, after the test's own work. */
function tidying(
  store: SessionStore,
  meanwhile: () => Promise<void> | void = () => {},
  options: Partial<AgentOptions<Json>> = {},
  work: (turn: TurnContext) => Promise<void> | void = () => {},
): LocalAgent {
  return defineCustomAgent({ name: "tidying", store, ...options }, async ({ session, context }) => {
    await session.run(async (_, turn) => {
      if (!context["isQuick"]) await work(turn);
      return { finishReason: "stop" };
    });
    await meanwhile();
    session.addMessages({ role: "model", content: [{ text: "tidied up" }] });
    return session.result();
  });
}
