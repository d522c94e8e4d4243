import { describe, expect, test } from "vitest";
import { textsOf, user } from "../agents.ts";
import { slowAgent } from "./slow-agent.ts";
import { databaseFile, openShared } from "./stores.ts";
import { unreliable } from "./unreliable-store.ts";
import { gateOf, LONG_LEASE_MS, sleep, until, untilAborted } from "./waiting.ts";

describe("a worker that stops", () => {
  test("hands a turn over that is not done in time: others go on at once, at the same attempt", async () => {
    const file = databaseFile();
    const attempts: number[] = [];
    const paid: string[] = [];
    const limits = { leaseMs: LONG_LEASE_MS };
    const first = slowAgent({ store: await openShared(file), limits }, async (_, turn) => {
      attempts.push(turn.attempt);
      await turn.step({ name: "pay", input: null }, () => paid.push("by the first"));
      await untilAborted(turn.signal);
    });
    const { snapshotId } = await dieOn(file);
    await until(() => paid.length === 1);
    const second = slowAgent({ store: await openShared(file), limits }, async (_, turn) => {
      attempts.push(turn.attempt);
      await turn.step({ name: "pay", input: null }, () => paid.push("by the second"));
    });
    await first.startWorker().stop({ handOverMs: 50 });
    const done = await second.waitFor(snapshotId);
    expect(done).toMatchObject({ status: "completed", finishReason: "stop" });
    expect(textsOf(done.state).slice(2)).toEqual(["a", "re: a"]);
    expect(paid).toEqual(["by the first"]);
    expect(attempts).toEqual([1, 1]);
  });

  test("waits for what is under way when it is not told to hand over", async () => {
    const file = databaseFile();
    const gate = gateOf();
    let isAtWork = false;
    const worker = slowAgent({ store: await openShared(file) }, async () => {
      isAtWork = true;
      await gate.promise;
    });
    const { snapshotId } = await dieOn(file);
    await until(() => isAtWork);
    const stopped = worker.startWorker().stop();
    expect(await Promise.race([stopped.then(() => "stopped"), sleep(50, "waits")])).toBe("waits");
    gate.open();
    await stopped;
    expect(await worker.getSnapshot(snapshotId)).toMatchObject({ status: "completed" });
  });
});

describe("an agent that is closed", () => {
  test("hands its own runs over, detached and attached, and ends connections that wait", async () => {
    const file = databaseFile();
    const limits = { leaseMs: LONG_LEASE_MS };
    let begun = 0;
    const first = slowAgent({ store: await openShared(file), limits }, async (_, turn) => {
      begun += 1;
      await untilAborted(turn.signal);
    });
    const idle = first.connect({ sessionId: "idle" });
    const { snapshotId } = await first.detach(user("a"), { sessionId: "s" });
    await until(() => begun === 1);
    await first.close({ handOverMs: 20 });
    await idle.done;
    const second = slowAgent({ store: await openShared(file), limits });
    const done = await second.waitFor(snapshotId);
    expect(done).toMatchObject({ status: "completed" });
    await second.close();
  });
});

// A process that dies, as far as others can tell, before its detached turn could begin: its store hears no more of it.
async function dieOn(file: string): Promise<{ readonly snapshotId: string }> {
  const gate = gateOf();
  const living = slowAgent({ store: await openShared(file) }, () => gate.promise);
  await living.startWorker().stop();
  const mortal = unreliable(await openShared(file));
  const dying = slowAgent({ store: mortal.store });
  await dying.startWorker().stop();
  const before = living.runText("before", { sessionId: "s" });
  await until(async () => (await living.listSnapshots("s")).length === 1);
  const { snapshotId } = await dying.detach(user("a"), { sessionId: "s", onBusy: "queue" });
  mortal.fails = () => true;
  gate.open();
  await before;
  return { snapshotId };
}
