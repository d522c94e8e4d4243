import { describe, expect, test } from "vitest";
import { PLACE_NAMES } from "../../support/places/places.ts";
import { testPlace } from "../../support/places/test-place.ts";
import { user } from "../agents.ts";
import { answeringLate, heldAnswer } from "./answering-late.ts";
import { whenOver } from "./leftovers.ts";
import { slowAgent } from "./slow-agent.ts";
import { unreliable } from "./unreliable-store.ts";
import { gateOf, LONG_LEASE_MS, until, untilAborted } from "./waiting.ts";

describe.each(PLACE_NAMES)("on %s", (name) => {
  test("a run whose turn another process takes over answers how the turn ended there", async () => {
    const place = await testPlace(name, whenOver);
    const store = await place.open();
    const flaky = unreliable(store);
    const first = slowAgent({ store: flaky.store, limits: { leaseMs: 300 } }, async (_, turn) => {
      flaky.fails = () => true;
      await untilAborted(turn.signal).finally(() => (flaky.fails = () => false));
    });
    await first.startWorker().stop();
    const second = slowAgent({ store: place.settings ? await place.open() : store });
    whenOver(() => second.close());
    const output = await first.runText("a", { sessionId: "s" });
    expect(output).toMatchObject({
      finishReason: "stop",
      message: { content: [{ text: "re: a" }] },
    });
    expect(output.error).toBeUndefined();
    expect(await second.getLatestSnapshot("s")).toMatchObject({
      status: "completed",
      snapshotId: output.snapshotId,
    });
  });

  test.each(["queue", "interrupt"] as const)(
    "detaching with onBusy %s answers with ids when the turn is aborted before that",
    async (onBusy) => {
      const place = await testPlace(name, whenOver);
      const store = await place.open();
      const limits = { leaseMs: LONG_LEASE_MS };
      const gate = gateOf();
      const busy = slowAgent({ store, limits }, () => gate.promise);
      const held = heldAnswer();
      const late = slowAgent({ store: answeringLate(store, held), limits });
      for (const agent of [busy, late]) await agent.startWorker().stop();
      const before = busy.runText("before", { sessionId: "s" });
      await until(async () => (await busy.listSnapshots("s")).length === 1);
      const detaching = late.detach(user("a"), { sessionId: "s", onBusy });
      await held.reached.promise;
      const waiting = await newestPending(busy);
      await busy.abort(waiting);
      held.gate.open();
      const { snapshotId, sessionId } = await detaching;
      expect({ snapshotId, sessionId }).toEqual({ snapshotId: waiting, sessionId: "s" });
      expect(await busy.getSnapshot(snapshotId)).toMatchObject({ status: "aborted" });
      gate.open();
      await before;
    },
  );
});

async function newestPending(agent: ReturnType<typeof slowAgent>): Promise<string> {
  const pending = (await agent.listSnapshots("s")).filter(({ status }) => status === "pending");
  const [newest] = pending.toSorted((one, other) => other.snapshotId.localeCompare(one.snapshotId));
  return newest?.snapshotId ?? "";
}
