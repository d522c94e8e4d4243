import { describe, expect, test } from "vitest";
import { PLACE_NAMES, type PlaceName } from "../../support/places/places.ts";
import { testPlace } from "../../support/places/test-place.ts";
import { textsOf, user } from "../agents.ts";
import { answeringLate, type HeldAnswer, heldAnswer } from "./answering-late.ts";
import { whenOver } from "./leftovers.ts";
import { type Meanwhile, slowAgent } from "./slow-agent.ts";
import { gateOf, LONG_LEASE_MS, until, untilAborted } from "./waiting.ts";

const limits = { leaseMs: LONG_LEASE_MS };
const call = { sessionId: "s", requestId: "r" };

describe.each(PLACE_NAMES)("an agent on %s that is closed while an input is committed", (name) => {
  test("hands the turn off: the caller may retry, and gets the one turn's output from another process", async () => {
    const { first, second, held } = await twoAgents(name, untilStopped);
    const running = first.runText("a", call);
    const answer = running.catch((error: unknown) => error);
    await held.reached.promise;
    const closed = first.close();
    held.gate.open();
    await closed;
    expect(await answer).toMatchObject({
      status: "UNAVAILABLE",
      retryable: true,
      details: { runId: expect.any(String) },
    });
    const again = await second.runText("a", call);
    expect(again).toMatchObject({
      finishReason: "stop",
      message: { content: [{ text: "re: a" }] },
    });
    const ended = await second.getLatestSnapshot("s");
    expect(ended).toMatchObject({ status: "completed", snapshotId: again.snapshotId });
    expect(textsOf(ended.state)).toEqual(["a", "re: a"]);
    expect(await second.listSnapshots("s")).toHaveLength(1);
  });

  test("detaches the turn: its ids are answered, and another process finishes it", async () => {
    const { first, second, held } = await twoAgents(name, untilStopped);
    const detaching = first.detach(user("a"), call);
    await held.reached.promise;
    const closed = first.close();
    held.gate.open();
    const { snapshotId } = await detaching;
    await closed;
    expect(await second.waitFor(snapshotId)).toMatchObject({
      status: "completed",
      finishReason: "stop",
    });
  });

  test("lets the turn end here when it is given the time", async () => {
    const { first, held } = await twoAgents(name);
    const running = first.runText("a", call);
    await held.reached.promise;
    const closed = first.close({ handOverMs: LONG_LEASE_MS });
    held.gate.open();
    expect(await running).toMatchObject({ finishReason: "stop" });
    await closed;
  });
});

describe("an agent that is closed", () => {
  test("refuses an input that is not being committed yet with a retryable error", async () => {
    const { first, second } = await twoAgents("memory");
    const connection = first.connect(call);
    await first.close();
    await expect(connection.sendText("a")).rejects.toMatchObject({
      status: "UNAVAILABLE",
      retryable: true,
    });
    expect(await second.runText("a", call)).toMatchObject({ finishReason: "stop" });
  });

  test("leaves a turn in the queue to other processes", async () => {
    const place = await testPlace("memory", whenOver);
    const store = await place.open();
    const gate = gateOf();
    const busy = slowAgent({ store, limits }, () => gate.promise);
    const leaving = slowAgent({ store, limits: { leaseMs: 100 } });
    for (const agent of [busy, leaving]) await agent.startWorker().stop();
    const before = busy.runText("before", { sessionId: "s" });
    await until(async () => (await busy.listSnapshots("s")).length === 1);
    const waiting = leaving.runText("a", { ...call, onBusy: "queue" });
    const answer = waiting.catch((error: unknown) => error);
    await until(async () => (await busy.listSnapshots("s")).length === 2);
    await leaving.close();
    expect(await answer).toMatchObject({ status: "UNAVAILABLE", retryable: true });
    gate.open();
    await before;
    const next = slowAgent({ store, limits });
    expect(await next.runText("a", call)).toMatchObject({ finishReason: "stop" });
    await next.close();
  });
});

const untilStopped: Meanwhile = (_, { signal }) => untilAborted(signal);

async function twoAgents(
  name: PlaceName,
  meanwhile?: Meanwhile,
): Promise<{
  readonly first: ReturnType<typeof slowAgent>;
  readonly second: ReturnType<typeof slowAgent>;
  readonly held: HeldAnswer;
}> {
  const place = await testPlace(name, whenOver);
  const store = await place.open();
  const held = heldAnswer();
  const first = slowAgent({ store: answeringLate(store, held), limits }, meanwhile);
  await first.startWorker().stop();
  const second = slowAgent({ store: place.settings ? await place.open() : store, limits });
  whenOver(() => second.close());
  return { first, second, held };
}
