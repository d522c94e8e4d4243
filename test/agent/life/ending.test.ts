import { defineCustomAgent } from "turnkeep";
import { describe, expect, it } from "vitest";
import { STORES } from "../authoring/stores.ts";

describe.each(STORES)("a turn that ended well, over %s", (_, openStore) => {
  it("leaves its signals alone: its own last commit is nobody else's", async () => {
    const signals: AbortSignal[] = [];
    const store = await openStore();
    const agent = defineCustomAgent({ name: "ending", store }, async ({ session, signal }) => {
      signals.push(signal);
      await session.run(async (_input, turn) => {
        signals.push(turn.signal);
        // Long enough to be watched.
        await new Promise((resolve) => setTimeout(resolve, 150));
      });
    });
    const turns = Array.from({ length: 20 }, (__, index) =>
      agent.runText("go", { sessionId: `session-${index}` }),
    );
    await Promise.all(turns);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(signals.map(({ aborted }) => aborted)).not.toContain(true);
    await agent.close();
  });
});
