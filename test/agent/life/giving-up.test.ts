import { describe, expect, test } from "vitest";
import { PLACE_NAMES } from "../../support/places/places.ts";
import { testPlace } from "../../support/places/test-place.ts";
import { whenOver } from "./leftovers.ts";
import { slowAgent } from "./slow-agent.ts";
import { unreliable } from "./unreliable-store.ts";
import { until, untilAborted } from "./waiting.ts";

const ATTEMPTS = 3;

describe.each(PLACE_NAMES)("a turn on %s whose worker loses contact to the store", (name) => {
  test("is begun as often as attempts allow, then ends as failed", async () => {
    const place = await testPlace(name, whenOver);
    const store = await place.open();
    const begun: number[] = [];
    const flaky = unreliable(store);
    const limits = { leaseMs: 300, attempts: ATTEMPTS };
    const agent = slowAgent({ store: flaky.store, limits }, async (_, turn) => {
      begun.push(turn.attempt);
      flaky.fails = () => true;
      await untilAborted(turn.signal).finally(() => (flaky.fails = () => false));
    });
    whenOver(() => agent.close());
    const reader = slowAgent({ store });
    await reader.startWorker().stop();
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    connection.close();
    const statusNow = async (): Promise<string | undefined> =>
      (await reader.listSnapshots("s"))[0]?.status;
    await until(async () => begun.length > ATTEMPTS || (await statusNow()) !== "pending");
    expect(begun).toEqual([1, 2, 3]);
    expect(await connection.output()).toMatchObject({
      finishReason: "failed",
      error: { details: { reason: "ATTEMPTS_EXHAUSTED" } },
    });
    expect(await statusNow()).toBe("failed");
  });
});
