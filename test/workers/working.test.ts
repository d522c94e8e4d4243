import { expect, test } from "vitest";
import { textsOf, user } from "../agent/agents.ts";
import { gateOf, LONG_LEASE_MS, sleep, until, untilAborted } from "../agent/life/waiting.ts";
import { createScope, createSessionKey } from "../../src/ledger/index.ts";
import { describeOnEach, lookInto } from "./engines.ts";
import { Stage } from "./stage.ts";

// So long that what is found quickly was not found by looking for it.
const NEVER_MS = 600_000;
const KEY = createSessionKey(createScope("local"), "slow", "s");

describeOnEach("workers", (engine) => {
  test("work on detached turns, those of one session in order", async () => {
    const stage = await Stage.open(engine);
    await stage.startWorker(await stage.agent(), { scanMs: NEVER_MS });
    await stage.startWorker(await stage.agent(), { scanMs: NEVER_MS });
    const call = { sessionId: "s", onBusy: "queue" } as const;
    for (const text of ["a", "b"]) await stage.front.detach(user(text), call);
    const { snapshotId } = await stage.front.detach(user("c"), call);
    const done = await stage.front.waitFor(snapshotId);
    expect(done).toMatchObject({ status: "completed", finishReason: "stop" });
    expect(textsOf(done.state)).toEqual(["a", "re: a", "b", "re: b", "c", "re: c"]);
  });

  test("are told the names of sessions, and nothing of what is said there", async () => {
    const stage = await Stage.open(engine);
    await stage.front.detach(user("my secret"), { sessionId: "s", tenant: "acme" });
    const queue = lookInto(engine, stage.queue);
    await until(async () => (await queue.getJobs()).length === 1);
    const [job] = await queue.getJobs();
    expect(job?.data).toEqual({ tenant: "acme", agent: "slow", sessionId: "s" });
    expect(JSON.stringify(job)).not.toContain("secret");
    await queue.close();
  });

  test("are told of the same turn once, however often it is announced, and of the next one again", async () => {
    const stage = await Stage.open(engine);
    for (const id of ["turn 1", "turn 1", "turn 1", "turn 2"]) {
      await stage.dispatcher.dispatch({ key: KEY, id });
    }
    const queue = lookInto(engine, stage.queue);
    expect(await queue.getJobs()).toHaveLength(2);
    await queue.close();
  });

  test("leave nothing in the queue", async () => {
    const stage = await Stage.open(engine);
    await stage.startWorker(await stage.agent());
    const runs = await Promise.all(
      ["a", "b", "c"].map((text) => stage.front.detach(user(text), { sessionId: text })),
    );
    for (const run of runs) await run.wait();
    const queue = lookInto(engine, stage.queue);
    await until(async () => (await queue.getJobs()).length === 0);
    await queue.close();
  });

  test("find what they were not told of: jobs that were thrown away, and turns that could not be announced", async () => {
    const stage = await Stage.open(engine);
    const run = await stage.front.detach(user("a"), { sessionId: "s" });
    const queue = lookInto(engine, stage.queue);
    await until(async () => (await queue.getJobs()).length === 1);
    await queue.obliterate({ force: true });
    await queue.close();
    await stage.startWorker(await stage.agent(), { scanMs: 200 });
    expect(await run.wait()).toMatchObject({ status: "completed" });
  });

  test("do nothing for a session that somebody works on", async () => {
    const stage = await Stage.open(engine);
    const gate = gateOf();
    const begun: string[] = [];
    const meanwhile = async (text: string): Promise<void> => {
      begun.push(text);
      await gate.promise;
    };
    await stage.startWorker(await stage.agent(meanwhile));
    await stage.startWorker(await stage.agent(meanwhile));
    const run = await stage.front.detach(user("a"), { sessionId: "s" });
    await until(() => begun.length === 1);
    const queue = lookInto(engine, stage.queue);
    for (const id of ["x", "y", "z"]) await stage.dispatcher.dispatch({ key: KEY, id });
    await until(async () => (await queue.getJobs(["waiting", "delayed"])).length === 0);
    await queue.close();
    expect(begun).toEqual(["a"]);
    gate.open();
    expect(await run.wait()).toMatchObject({ status: "completed" });
  });

  test("hand over at once what is under way when they stop, at the same attempt", async () => {
    const stage = await Stage.open(engine);
    const attempts: number[] = [];
    const first = await stage.startWorker(
      await stage.agent(
        async (_, turn) => {
          attempts.push(turn.attempt);
          await untilAborted(turn.signal);
        },
        "slow",
        LONG_LEASE_MS,
      ),
      { scanMs: NEVER_MS },
    );
    const run = await stage.front.detach(user("a"), { sessionId: "s" });
    await until(() => attempts.length === 1);
    await stage.startWorker(await stage.agent((_, turn) => void attempts.push(turn.attempt)), {
      scanMs: NEVER_MS,
    });
    await first.stop();
    expect(await run.wait()).toMatchObject({ status: "completed" });
    expect(attempts).toEqual([1, 1]);
  });

  test("let what is under way end when they are given time to stop", async () => {
    const stage = await Stage.open(engine);
    const gate = gateOf();
    let isAtWork = false;
    const worker = await stage.startWorker(
      await stage.agent(async () => {
        isAtWork = true;
        await gate.promise;
      }),
    );
    const run = await stage.front.detach(user("a"), { sessionId: "s" });
    await until(() => isAtWork);
    const stopped = worker.stop({ handOverMs: 30_000 });
    expect(await Promise.race([stopped.then(() => "stopped"), sleep(50, "waits")])).toBe("waits");
    gate.open();
    await stopped;
    expect(await stage.front.getSnapshot(run.snapshotId)).toMatchObject({ status: "completed" });
  });
});
