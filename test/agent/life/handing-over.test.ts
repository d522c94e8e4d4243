import { describe, expect, test } from "vitest";
import { textsOf, user } from "../agents.ts";
import { slowAgent } from "./slow-agent.ts";
import { databaseFile, openShared } from "./stores.ts";
import { gateOf, sleep, until, untilAborted } from "./waiting.ts";

const LEASE_MS = 5000;

describe("a worker that stops", () => {
  test("hands a turn over that is not done in time: others go on at once, at the same attempt", async () => {
    const file = databaseFile();
    const attempts: number[] = [];
    const paid: string[] = [];
    const limits = { leaseMs: LEASE_MS };
    const begin = slowAgent({ store: await openShared(file), limits: { leaseMs: 300 } }, untilDead);
    await begin.startWorker().stop();
    const first = slowAgent({ store: await openShared(file), limits }, async (_, turn) => {
      attempts.push(turn.attempt);
      await turn.step({ name: "pay", input: null }, () => paid.push("by the first"));
      await untilAborted(turn.signal);
    });
    const { snapshotId } = await dieWith(begin);
    await until(() => paid.length === 1);
    const second = slowAgent({ store: await openShared(file), limits }, async (_, turn) => {
      attempts.push(turn.attempt);
      await turn.step({ name: "pay", input: null }, () => paid.push("by the second"));
    });
    const before = performance.now();
    await first.startWorker().stop({ handOverMs: 50 });
    const done = await second.waitFor(snapshotId);
    expect(performance.now() - before).toBeLessThan(3000);
    expect(done).toMatchObject({ status: "completed", finishReason: "stop" });
    expect(textsOf(done.state)).toEqual(["a", "re: a"]);
    expect(paid).toEqual(["by the first"]);
    expect(attempts).toEqual([2, 2]);
  });

  test("waits for what is under way when it is not told to hand over", async () => {
    const file = databaseFile();
    const gate = gateOf();
    const begin = slowAgent({ store: await openShared(file), limits: { leaseMs: 300 } }, untilDead);
    await begin.startWorker().stop();
    let isAtWork = false;
    const worker = slowAgent({ store: await openShared(file) }, async () => {
      isAtWork = true;
      await gate.promise;
    });
    const { snapshotId } = await dieWith(begin);
    await until(() => isAtWork);
    const stopped = worker.startWorker().stop();
    expect(await Promise.race([stopped.then(() => "stopped"), sleep(50, "waits")])).toBe("waits");
    gate.open();
    await stopped;
    expect(await worker.getSnapshot(snapshotId)).toMatchObject({ status: "completed" });
  });
});

// A process that dies in the middle of its turn, as far as others can tell: it hears of nothing and beats no more.
async function dieWith(agent: ReturnType<typeof slowAgent>): Promise<{ readonly snapshotId: string }> {
  const { snapshotId } = await agent.detach(user("a"), { sessionId: "s" });
  blockForMs(350);
  return { snapshotId };
}

function blockForMs(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

async function untilDead(_: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  await untilAborted(signal);
}
