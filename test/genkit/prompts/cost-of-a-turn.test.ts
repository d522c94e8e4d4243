import { defineAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, it, onTestFinished } from "vitest";
import { turnMiddleware } from "../../../src/genkit/turn-middleware.ts";
import { answer, scriptedGenkit } from "../scripted-model.ts";
import { countPromises } from "../../support/count-promises.ts";

// Three quarters of them are Genkit's own, for `generate`. Each is followed for Genkit's session, context and tracing, which costs more than the promise.
const MOST_PROMISES = 200;

it(`a prompt's turn makes at most ${MOST_PROMISES} promises`, async () => {
  const { ai, model } = scriptedGenkit();
  const agent = defineAgent(ai, { name: "prompt", system: "Be brief.", store: new MemoryStore() });
  onTestFinished(() => agent.close());
  const reply = () => answer([{ text: "Yes." }]);
  model.replies(reply, reply, reply);
  for (const sessionId of ["first", "second"]) await agent.runText("hi", { sessionId });
  const promises = await countPromises(() => agent.runText("hi", { sessionId: "third" }));
  expect(promises).toBeGreaterThan(100);
  expect(promises).toBeLessThanOrEqual(MOST_PROMISES);
});

// What Genkit defines as one has a shape of its own, which keeps the turn it was defined for in memory until the next full collection.
it("all turns share one middleware, and what is each turn's own stays out of traces", () => {
  const [one, other] = [1, 2].map(() => turnMiddleware({} as never));
  expect(one?.__def).toBe(other?.__def);
  expect(one?.config).not.toBe(other?.config);
  expect(JSON.stringify(one)).toBe('{"name":"turnkeep"}');
});
