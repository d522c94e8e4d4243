import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, it, onTestFinished } from "vitest";
import { countPromises } from "../support/count-promises.ts";

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
  const promises = await countPromises(() => agent.runText("a", { sessionId: "second" }));
  expect(promises).toBeGreaterThan(10);
  expect(promises).toBeLessThanOrEqual(MOST_PROMISES);
});
