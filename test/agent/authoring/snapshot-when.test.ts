import { type AgentConnection, defineCustomAgent, type SnapshotMoment } from "turnkeep";
import { describe, expect, it } from "vitest";
import { textOf } from "../agents.ts";
import { STORES } from "./stores.ts";
import { agentOf, model } from "./turns.ts";

interface Counted {
  n: number;
}

describe.each(STORES)("snapshotWhen over %s", (_, openStore) => {
  it("always keeps every turn, and that is the default", async () => {
    const store = await openStore();
    for (const [name, options] of [
      ["said", { snapshotWhen: "always" as const }],
      ["unsaid", {}],
    ] as const) {
      const agent = counter({ name, store, ...options });
      await take(agent.connect({ sessionId: "s" }), 3);
      expect(await countsOf(agent)).toEqual([1, 2, 3]);
    }
  });

  it("never keeps anything, though the state goes on within a connection", async () => {
    const agent = counter({ store: await openStore(), snapshotWhen: "never" });
    const connection = agent.connect({ sessionId: "s" });
    expect(await take(connection, 3)).toEqual([1, 2, 3]);
    const output = await connection.output();
    expect(output.snapshotId).toBeUndefined();
    expect(output.message).toEqual(model("3"));
    // The next run sees nothing of it.
    expect(await take(agent.connect({ sessionId: "s" }), 1)).toEqual([1]);
  });

  it("keeps only how a run ends, on the event runEnd", async () => {
    const agent = counter({ store: await openStore(), snapshotWhen: ["runEnd"] });
    const connection = agent.connect({ sessionId: "s" });
    expect(await take(connection, 3)).toEqual([1, 2, 3]);
    const { snapshotId } = await connection.output();
    const { state, snapshotId: latest } = await agent.getLatestSnapshot("s");
    expect(latest).toBe(snapshotId);
    expect(state?.custom).toEqual({ n: 3 });
    expect(state?.messages?.map(textOf)).toEqual(["go", "1", "go", "2", "go", "3"]);
    expect(await take(agent.connect({ sessionId: "s" }), 1)).toEqual([4]);
  });

  it("waits for a function that is asynchronous, and fails the turn when it rejects", async () => {
    const agent = counter({
      store: await openStore(),
      snapshotWhen: async ({ state }) => {
        await Promise.resolve();
        if (state.custom?.n === 2) throw new Error("no idea");
        return true;
      },
    });
    expect((await agent.runText("go", { sessionId: "s" })).error).toBeUndefined();
    const failed = await agent.runText("go", { sessionId: "s" });
    expect(failed).toMatchObject({ finishReason: "failed", error: { message: "no idea" } });
    const statuses = (await agent.listSnapshots("s")).map(({ status }) => status);
    expect(statuses).toEqual(["completed", "failed"]);
  });

  it("asks a function, and shows it the state before and after", async () => {
    const moments: SnapshotMoment<Counted>[] = [];
    const agent = counter({
      store: await openStore(),
      snapshotWhen: (moment) => {
        moments.push(moment);
        return moment.event === "turnEnd" && (moment.state.custom?.n ?? 0) % 2 === 0;
      },
    });
    const context = { who: "me" };
    const connection = agent.connect({ sessionId: "s", context });
    await take(connection, 4);
    const output = await connection.output();
    expect(
      moments.map(({ event, turnIndex, state, previousState }) => [
        event,
        turnIndex,
        state.custom?.n,
        previousState?.custom?.n,
      ]),
    ).toEqual([
      ["turnEnd", 0, 1, undefined],
      ["turnEnd", 1, 2, undefined],
      ["turnEnd", 2, 3, 2],
      ["turnEnd", 3, 4, 2],
    ]);
    expect(moments[0]).not.toHaveProperty("previousState");
    expect(moments[0]).toMatchObject({ context, state: { sessionId: "s" } });
    expect((await agent.getLatestSnapshot("s")).snapshotId).toBe(output.snapshotId);
    expect((await agent.getLatestSnapshot("s")).state?.custom).toEqual({ n: 4 });
  });

  it("tells the turn's own index even when more inputs wait behind it", async () => {
    const indexes: number[] = [];
    const agent = counter({
      store: await openStore(),
      snapshotWhen: ({ turnIndex }) => {
        indexes.push(turnIndex);
        return true;
      },
    });
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["a", "b", "c"]) await connection.sendText(text);
    await connection.output();
    expect(indexes).toEqual([0, 1, 2]);
  });

  it("shows the function a state that it cannot change", async () => {
    const agent = counter({
      store: await openStore(),
      snapshotWhen: ({ state }) => {
        expect(() => ((state.custom as Counted).n = 99)).toThrow(TypeError);
        return true;
      },
    });
    expect((await agent.runText("go", { sessionId: "s" })).error).toBeUndefined();
    expect(await countsOf(agent)).toEqual([1]);
  });

  it("fails the turn when the function throws, and lets the session go", async () => {
    let isBroken = true;
    const agent = counter({
      store: await openStore(),
      snapshotWhen: () => {
        if (isBroken) throw new Error("cannot decide");
        return true;
      },
    });
    const failed = await agent.runText("go", { sessionId: "s" });
    expect(failed).toMatchObject({ finishReason: "failed", error: { message: "cannot decide" } });
    isBroken = false;
    expect((await agent.runText("go", { sessionId: "s" })).finishReason).toBe("stop");
  });

  it("keeps one more snapshot when the state changed after the last turn", async () => {
    const agent = defineCustomAgent<Counted>(
      { name: "tidy", store: await openStore() },
      async ({ session }) => {
        await session.run(() => session.setCustom({ n: 1 }));
        session.setCustom({ n: 100 });
        return session.result();
      },
    );
    const output = await agent.runText("go", { sessionId: "s" });
    const [first, last] = await agent.listSnapshots("s");
    expect(output.snapshotId).toBe(last!.snapshotId);
    expect(last!.parentId).toBe(first!.snapshotId);
    expect((await agent.getSnapshot(first!.snapshotId)).state?.custom).toEqual({ n: 1 });
    expect((await agent.getSnapshot(last!.snapshotId)).state?.custom).toEqual({ n: 100 });
  });

  it("keeps no other one when nothing changed after the last turn", async () => {
    const agent = defineCustomAgent<Counted>(
      { name: "idle", store: await openStore() },
      async ({ session }) => {
        await session.run(() => session.setCustom({ n: 1 }));
        session.setCustom({ n: 1 });
        session.updateMessages((messages) => [...messages]);
        session.addMessages();
      },
    );
    await agent.runText("go", { sessionId: "s" });
    expect(await agent.listSnapshots("s")).toHaveLength(1);
  });
});

function counter(
  options: Parameters<typeof agentOf<Counted>>[0],
): ReturnType<typeof agentOf<Counted>> {
  return agentOf<Counted>(options, ({ session }) => {
    session.updateCustom((draft) => ({ n: (draft?.n ?? 0) + 1 }));
    session.addMessages(model(String(session.custom()?.n)));
    return { finishReason: "stop" };
  });
}

// Takes turns, and answers with the count after each.
async function take(
  connection: AgentConnection<Counted>,
  turns: number,
): Promise<readonly number[]> {
  const counts: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    await connection.sendText("go");
    for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    counts.push(connection.custom()?.n ?? 0);
  }
  if (turns < 3) await connection.output();
  return counts;
}

async function countsOf(agent: ReturnType<typeof agentOf<Counted>>): Promise<readonly unknown[]> {
  const snapshots = await agent.listSnapshots("s");
  return await Promise.all(
    snapshots.map(async ({ snapshotId }) => (await agent.getSnapshot(snapshotId)).state?.custom?.n),
  );
}
