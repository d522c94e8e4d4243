import { createHook } from "node:async_hooks";
import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, it, onTestFinished } from "vitest";

// Each is followed for `currentSession()`, which on some versions of Node costs more than the promise.
const MOST_PROMISES = 48;

it(`a turn makes at most ${MOST_PROMISES} promises, those of its agent included`, async () => {
  const agent = defineCustomAgent(
    { name: "echo", store: new MemoryStore() },
    async ({ session, respond }) => {
      await session.run(async () => {
        respond.text("b");
        session.addMessages({ role: "model", content: [{ text: "b" }] });
      });
    },
  );
  onTestFinished(() => agent.close());
  await agent.runText("a", { sessionId: "first" });
  let promises = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === "PROMISE") promises += 1;
    },
  });
  hook.enable();
  await agent.runText("a", { sessionId: "second" });
  hook.disable();
  expect(promises).toBeGreaterThan(10);
  expect(promises).toBeLessThanOrEqual(MOST_PROMISES);
});
