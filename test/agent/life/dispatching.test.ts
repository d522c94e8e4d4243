import {
  type DispatchedWork,
  type Dispatcher,
  defineCustomAgent,
  type SessionStore,
} from "turnkeep";
import { describe, expect, test } from "vitest";
import { textsOf, user } from "../agents.ts";
import { slowAgent } from "./slow-agent.ts";
import { type CreateStore, STORES } from "./stores.ts";
import { gateOf, until, untilAborted } from "./waiting.ts";

describe.each(STORES)("an agent that sends turns away, on %s", (_, create: CreateStore) => {
  test("accepts a detached turn durably, announces it and leaves it to others", async () => {
    const { store, announced, worked, agent } = await front(create);
    const run = await agent.detach(user("a"), { sessionId: "s" });
    const [work, ...more] = announced;
    expect(more).toEqual([]);
    expect(work?.key).toMatchObject({ scope: { tenant: "local" }, agent: "slow", sessionId: "s" });
    const { record } = await store.load(work!.key);
    expect(record).toMatchObject({
      active: null,
      queue: [{ detached: true, snapshotId: work!.id }],
    });
    expect(await agent.getSnapshot(run.snapshotId)).toMatchObject({ status: "pending" });
    const desk = await worker(store);
    await finish(await desk.take(work!.key));
    expect(await run.wait()).toMatchObject({ status: "completed", finishReason: "stop" });
    expect(worked).toEqual([]);
    expect(textsOf((await agent.getSnapshot(run.snapshotId)).state)).toEqual(["a", "re: a"]);
  });

  test("does not start its function for a turn that it sends away", async () => {
    const store = await create();
    let starts = 0;
    const agent = defineCustomAgent(
      { name: "slow", store, dispatcher: { dispatch: async () => {} } },
      async ({ session }) => {
        starts += 1;
        await session.run(() => ({ finishReason: "stop" }));
      },
    );
    const connection = agent.connect({ sessionId: "s" });
    await connection.send({ ...user("a"), detach: true });
    expect(await connection.output()).toMatchObject({ finishReason: "detached" });
    expect(starts).toBe(0);
    await agent.runText("b", { sessionId: "t" });
    expect(starts).toBe(1);
  });

  test("has a turn that cannot be announced found all the same", async () => {
    const failing = { dispatch: () => Promise.reject(new Error("The queue is away.")) };
    const { store, agent } = await front(create, failing);
    const run = await agent.detach(user("a"), { sessionId: "s" });
    const desk = await worker(store);
    const [due] = await desk.findDue(10);
    await finish(await desk.take(due!));
    expect(await run.wait()).toMatchObject({ status: "completed" });
  });

  test("keeps turns that somebody waits for", async () => {
    const { announced, worked, agent } = await front(create);
    await agent.runText("a", { sessionId: "s" });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("b");
    await connection.send({ ...user("c"), detach: true });
    await until(() => worked.length === 3);
    expect(worked).toEqual(["a", "b", "c"]);
    expect(announced).toEqual([]);
  });

  test("takes a request that is sent again for the same turn", async () => {
    const { announced, agent } = await front(create);
    const call = { sessionId: "s", requestId: "once", onBusy: "queue" } as const;
    const { snapshotId } = await agent.detach(user("a"), call);
    await expect(agent.detach(user("a"), call)).rejects.toMatchObject({
      status: "ALREADY_EXISTS",
      details: { snapshotId },
    });
    expect(announced).toHaveLength(1);
  });

  test("refuses what it would refuse without workers", async () => {
    const { announced, agent } = await front(create);
    await agent.detach(user("a"), { sessionId: "s" });
    await expect(agent.detach(user("b"), { sessionId: "s" })).rejects.toMatchObject({
      reason: "SESSION_BUSY",
    });
    await expect(agent.detach(user("b"), { snapshotId: "nothing.of-ours" })).rejects.toMatchObject({
      status: "NOT_FOUND",
    });
    expect(announced).toHaveLength(1);
  });

  test("can abort what was sent away, before and after a worker has begun it", async () => {
    const { store, announced, agent } = await front(create);
    const waiting = await agent.detach(user("a"), { sessionId: "s" });
    expect(await waiting.abort()).toMatchObject({ status: "aborted" });
    const desk = await worker(store, ({ signal }) => untilAborted(signal));
    expect(await desk.take(announced[0]!.key)).toEqual({ kind: "none" });
    const running = await agent.detach(user("b"), { sessionId: "t" });
    const taken = await desk.take(announced[1]!.key);
    expect(await running.abort()).toMatchObject({ status: "aborted" });
    await finish(taken);
    expect(await running.wait()).toMatchObject({ status: "aborted" });
  });
});

describe.each(STORES)("a work desk on %s", (_, create: CreateStore) => {
  test("says when a session has nothing to do, and when somebody is at it", async () => {
    const { store, announced, agent } = await front(create);
    await agent.detach(user("a"), { sessionId: "s" });
    const { key } = announced[0]!;
    const gate = gateOf();
    const desk = await worker(store, () => gate.promise);
    const taken = await desk.take(key);
    expect(await desk.take(key)).toMatchObject({ kind: "busy" });
    gate.open();
    await finish(taken);
    expect(await desk.take(key)).toEqual({ kind: "none" });
  });

  test("hands a turn over that was taken a moment ago, and others go on at the same attempt", async () => {
    const { store, announced, agent } = await front(create);
    const run = await agent.detach(user("a"), { sessionId: "s" });
    const { key } = announced[0]!;
    const attempts: number[] = [];
    const hanging = await worker(store, ({ signal }) => untilAborted(signal));
    const first = await hanging.take(key);
    if (first.kind !== "taken") throw new Error(first.kind);
    first.turn.handOver();
    await first.turn.done;
    const desk = await worker(store, ({ attempt }) => void attempts.push(attempt));
    await finish(await desk.take(key));
    expect(await run.wait()).toMatchObject({ status: "completed" });
    expect(attempts).toEqual([1]);
  });
});

test("a dispatcher without a store is refused", () => {
  const dispatcher: Dispatcher = { dispatch: async () => {} };
  expect(() => defineCustomAgent({ name: "a", dispatcher }, async () => {})).toThrow(/no store/);
});

type Desk = Awaited<ReturnType<ReturnType<typeof slowAgent>["takeWorkDesk"]>>;

interface Front {
  readonly store: SessionStore;
  readonly announced: readonly DispatchedWork[];
  /** What was worked on in the process that accepts turns. */
  readonly worked: readonly string[];
  readonly agent: ReturnType<typeof slowAgent>;
}

async function front(create: CreateStore, given?: Dispatcher): Promise<Front> {
  const store = await create();
  const announced: DispatchedWork[] = [];
  const worked: string[] = [];
  const dispatcher = given ?? { dispatch: async (work) => void announced.push(work) };
  const agent = slowAgent({ store, dispatcher }, (text) => void worked.push(text));
  return { store, announced, worked, agent };
}

async function worker(
  store: SessionStore,
  work: (
    turn: Parameters<NonNullable<Parameters<typeof slowAgent>[1]>>[1],
  ) => Promise<void> | void = () => {},
): Promise<Desk> {
  return await slowAgent({ store }, (_, turn) => work(turn)).takeWorkDesk();
}

async function finish(answer: Awaited<ReturnType<Desk["take"]>>): Promise<void> {
  expect(answer.kind).toBe("taken");
  if (answer.kind === "taken") await answer.turn.done;
}
