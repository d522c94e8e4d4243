import { join } from "node:path";
import { defineCustomAgent, type Json, type LocalAgent, type TurnContext } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { crashtest, type CrashScenario } from "turnkeep/testing";
import { describe, expect, test } from "vitest";
import { scratchDirectory } from "../agent/life/stores.ts";
import { whenOver } from "../agent/life/leftovers.ts";

const done: string[] = [];

function shop(work: (turn: TurnContext) => Promise<void> | void): LocalAgent {
  return defineCustomAgent({ name: "shop" }, async ({ session }) => {
    await session.run(async (_, turn) => {
      await work(turn);
      session.addMessages({ role: "model", content: [{ text: "done" }] });
      return { finishReason: "stop" };
    });
    return session.result();
  });
}

const charging = (turn: TurnContext, idempotent: boolean): Promise<unknown> =>
  turn.step({ name: "charge", input: 1, idempotent }, () => done.push("charge"));

const order = (agent: LocalAgent): Promise<unknown> =>
  agent.runText("tea", { sessionId: "ada", requestId: "order-1" });

const takeEffects = (): readonly string[] => done.splice(0);

type OpenStore = CrashScenario<Json, Json>["store"];

const inMemory: OpenStore = (clock) => new MemoryStore({ clock });

const STORES: readonly (readonly [string, OpenStore])[] = [
  ["memory", inMemory],
  [
    "sqlite",
    async (clock) => {
      const store = await openSqliteStore(join(scratchDirectory(), "crash.db"), { clock });
      whenOver(() => store.close());
      return store;
    },
  ],
];

describe.each(STORES)("a crash test over %s", (_, store) => {
  test("finds a journaled step neither lost nor doubled, whenever the process dies", async () => {
    const agent = shop(async (turn) => void (await charging(turn, false)));
    const report = await crashtest(agent, { store, run: order, takeEffects });
    expect(report).toMatchObject({ effects: ["charge"], isSound: true });
    // It is accepted and begun, written down before and after, and ended: each a place to die at, twice.
    expect(report.rounds.length).toBeGreaterThanOrEqual(8);
    expect(report.rounds.some(({ undecided }) => undecided.length > 0)).toBe(true);
  });

  test("finds an effect doubled that is not journaled", async () => {
    const agent = shop(() => void done.push("charge"));
    const report = await crashtest(agent, { store, run: order, takeEffects });
    expect(report.isSound).toBe(false);
    expect(report.rounds.flatMap(({ doubled }) => doubled)).toContain("charge");
  });
});

test("an idempotent step is seen to run again", async () => {
  const agent = shop(async (turn) => void (await charging(turn, true)));
  const report = await crashtest(agent, {
    store: inMemory,
    run: order,
    takeEffects,
  });
  expect(report.rounds.some(({ doubled }) => doubled.length > 0)).toBe(true);
  expect(report.rounds.every(({ lost }) => lost.length === 0)).toBe(true);
});

test("clients whose requests have no ids are seen to double what they ask for", async () => {
  const agent = shop(async (turn) => void (await charging(turn, false)));
  const report = await crashtest(agent, {
    store: inMemory,
    run: (next) => next.runText("tea", { sessionId: "ada" }),
    takeEffects,
  });
  expect(report.isSound).toBe(false);
});

test("an effect that is never done after a crash is reported lost", async () => {
  // Done only by the process that took the request in: whoever takes the turn over forgets it.
  const agent = shop(({ attempt }) => void (attempt === 1 && done.push("charge")));
  const report = await crashtest(agent, {
    store: inMemory,
    run: order,
    takeEffects,
  });
  expect(report.rounds.flatMap(({ lost }) => lost)).toContain("charge");
});
