import { describe, expect, test } from "vitest";
import { MemoryStore } from "../../../src/stores/memory/index.ts";
import { echoAgent } from "../agents.ts";

describe("the retention of an agent's snapshots", () => {
  test.each([0, -1, 1.5])("refuses keepLast: %s when the agent is defined", (keepLast) => {
    const retention = { snapshots: { keepLast } };
    const define = (): unknown => echoAgent({ store: new MemoryStore(), retention });
    expect(define).toThrow(
      `retention.snapshots.keepLast must be a whole number of at least 1, not ${keepLast}.`,
    );
    expect(() => echoAgent({ retention })).toThrow("retention.snapshots.keepLast");
  });

  test("keeps the last two of a session, detached turns included, without a sweep", async () => {
    const store = new MemoryStore();
    const agent = echoAgent({ store, retention: { snapshots: { keepLast: 2 } } });
    for (const text of ["a", "b", "c"]) await agent.runText(text, { sessionId: "s" });
    const detached = await agent.detach(
      { message: { role: "user", content: [{ text: "d" }] } },
      { sessionId: "s" },
    );
    const { snapshotId, state } = await detached.wait();
    const listed = await agent.listSnapshots("s");
    expect(listed).toHaveLength(2);
    expect(listed[1]?.snapshotId).toBe(snapshotId);
    expect(state?.messages).toHaveLength(8);
    expect((await agent.getSnapshot(listed[0]!.snapshotId)).state?.messages).toHaveLength(6);
  });
});
