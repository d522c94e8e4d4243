import { MemoryStore } from "turnkeep/stores/memory";
import { expect, test } from "vitest";
import { agentOf } from "../agent/authoring/turns.ts";
import { reflecting } from "./reflecting.ts";

const usage = { inputTokens: 2000, outputTokens: 100, thoughtsTokens: 7 };
const EUR = (perMillion: Record<string, Record<string, number>>) => ({
  prices: { currency: "EUR", perMillion },
});

function spending(name: string, store = new MemoryStore()) {
  return agentOf({ name, store }, () => ({ finishReason: "stop", usage }));
}

test("what turns cost is told where their tokens have a price, and nowhere else", async () => {
  const store = new MemoryStore();
  const agents = [spending("dear", store), spending("free", store)];
  for (const agent of agents) await agent.runText("hi", { sessionId: "s" });
  const { snapshotId } = (await agents[0]?.runText("again", { sessionId: "s" })) ?? {};
  const { ask } = reflecting(agents, EUR({ dear: { inputTokens: 3, outputTokens: 15 } }));
  const cost = (2000 * 3 + 100 * 15) / 1_000_000;
  expect((await ask("agents/dear/sessions/s")).body.cost).toBeCloseTo(2 * cost, 12);
  expect((await ask("agents/free/sessions/s")).body).not.toHaveProperty("cost");
  const { snapshots } = (await ask("agents/dear/sessions/s/snapshots")).body;
  expect(snapshots[1].cost).toBeCloseTo(cost, 12);
  expect((await ask(`agents/dear/snapshots/${snapshotId}`)).body.cost).toBeCloseTo(cost, 12);
  const stats = (await ask("stats")).body;
  expect(stats.cost).toMatchObject({ currency: "EUR", turns: 2 });
  expect(stats.cost.amount).toBeCloseTo(2 * cost, 12);
  const info = (await ask("studio/info")).body;
  expect([info.capabilities.prices, info.prices.currency]).toEqual([true, "EUR"]);
});

test("agents that are not named have the price of any other, and without prices there is no cost", async () => {
  const agent = spending("toString");
  await agent.runText("hi", { sessionId: "s" });
  const { ask } = reflecting([agent], EUR({ "*": { outputTokens: 10 } }));
  expect((await ask("agents/toString/sessions/s")).body.cost).toBeCloseTo(0.001, 12);
  const plain = reflecting([agent]);
  expect((await plain.ask("stats")).body).not.toHaveProperty("cost");
  expect((await plain.ask("agents/toString/sessions/s")).body).not.toHaveProperty("cost");
  expect(() => reflecting([agent], { prices: { currency: "euros", perMillion: {} } })).toThrow(
    "three capital letters",
  );
  expect(() => reflecting([agent], EUR({ "*": { outputTokens: -1 } }))).toThrow("0 or more");
});

test.each([
  null,
  "EUR",
  { currency: "EUR" },
  EUR({ "*": 3 as never }).prices,
  EUR([] as never).prices,
])("%j are no prices", (prices) => {
  expect(() => reflecting([spending("any")], { prices: prices as never })).toThrow("'prices'");
});
