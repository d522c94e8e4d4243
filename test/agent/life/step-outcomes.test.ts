import {
  buildCustomAgent,
  type Json,
  type LocalAgent,
  TurnkeepError,
  type TurnContext,
} from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { user } from "../agents.ts";
import { LONG_LEASE_MS } from "./waiting.ts";

class CardDeclined extends Error {
  override readonly name = "CardDeclined";
}

type Work = (turn: TurnContext) => Promise<Json | void>;

/** The worker of the turn dies where `dies` is called; another one takes the turn over and does the same. */
async function takenOver(
  work: (turn: TurnContext, dies: () => Promise<void>) => Promise<Json | void>,
  outer: (running: Promise<void>) => Promise<unknown> = (running) => running,
): Promise<{ readonly agent: LocalAgent; readonly results: readonly unknown[] }> {
  let now = Date.now();
  const store = new MemoryStore({ clock: { now: () => now } });
  const results: unknown[] = [];
  let died: (() => void) | undefined;
  const dead = new Promise<void>((resolve) => (died = resolve));
  const agentOf = (dies: () => Promise<void>): LocalAgent =>
    buildCustomAgent(
      { name: "paying", store, limits: { leaseMs: LONG_LEASE_MS } },
      async ({ session }) => {
        const running = session.run(async (__, turn) => {
          results.push((await work(turn, dies)) ?? null);
          return { finishReason: "stop" };
        });
        await outer(running);
        return { finishReason: "stop" };
      },
    );
  const first = agentOf(async () => {
    died?.();
    await new Promise(() => {});
  });
  void first.detach(user("pay"), { sessionId: "s" }).catch(() => {});
  await dead;
  now += 2 * LONG_LEASE_MS;
  const agent = agentOf(async () => {});
  const desk = await agent.takeWorkDesk();
  const [key] = await desk.findDue(1);
  const taken = key && (await desk.take(key));
  if (taken?.kind === "taken") await taken.turn.done;
  return { agent, results };
}

async function endOf(agent: LocalAgent): Promise<object | undefined> {
  return (await agent.listSnapshots("s")).at(-1);
}

const UNKNOWN = {
  status: "completed",
  finishReason: "interrupted",
  error: { status: "ABORTED", details: { reason: "UNKNOWN_TOOL_OUTCOME", name: "charge" } },
};

describe("a step whose outcome nobody knows", () => {
  const charge = (turn: TurnContext, dies: () => Promise<void>): Promise<Json> =>
    turn.step({ name: "charge", input: 5 }, async () => {
      await dies();
      return "paid";
    });

  test("ends the turn as interrupted although its handler swallows the error", async () => {
    const { agent } = await takenOver((turn, dies) => charge(turn, dies).catch(() => "never mind"));
    expect(await endOf(agent)).toMatchObject(UNKNOWN);
  });

  test("ends the turn as interrupted although its handler throws another error", async () => {
    const { agent } = await takenOver((turn, dies) =>
      charge(turn, dies).catch(() => {
        throw new Error("no");
      }),
    );
    expect(await endOf(agent)).toMatchObject(UNKNOWN);
  });

  test("ends a detached run as interrupted although the agent's function swallows the error", async () => {
    const { agent } = await takenOver(charge, (running) => running.catch(() => {}));
    expect(await endOf(agent)).toMatchObject(UNKNOWN);
  });
});

describe("a step that failed", () => {
  const ERRORS: readonly (readonly [kind: string, make: () => unknown])[] = [
    ["an error of the handler's own", () => new CardDeclined("card declined")],
    [
      "a TurnkeepError",
      () =>
        new TurnkeepError("RESOURCE_EXHAUSTED", "later", {
          reason: "TOO_MANY_REQUESTS",
          retryable: true,
          details: { afterMs: 5 },
        }),
    ],
    ["an error with a status", () => Object.assign(new Error("away"), { status: "UNAVAILABLE" })],
    ["a text", () => "just a text"],
  ];

  test.each(ERRORS)(
    "tells the next worker the same and does not run again: %s",
    async (_, make) => {
      let runs = 0;
      const work = async (turn: TurnContext, dies: () => Promise<void>): Promise<Json> => {
        const told = await turn
          .step({ name: "charge", input: 5 }, () => {
            runs += 1;
            throw make();
          })
          .catch((error: unknown) => describeError(error));
        await turn.step({ name: "after", input: told, idempotent: true }, async () => null);
        await dies();
        return told;
      };
      const { agent, results } = await takenOver(work);
      expect(runs).toBe(1);
      expect(results).toEqual([describeError(make())]);
      expect(await endOf(agent)).toMatchObject({ finishReason: "stop" });
    },
  );

  test("because its result is no JSON fails with INVALID_ARGUMENT for every worker", async () => {
    const told: unknown[] = [];
    let runs = 0;
    await takenOver(async (turn, dies) => {
      const step = turn.step({ name: "charge", input: 5 }, async () => {
        runs += 1;
        return { paid: [5n] } as never;
      });
      told.push(await step.catch((error: unknown) => describeError(error)));
      await dies();
    });
    const refused = {
      status: "INVALID_ARGUMENT",
      message: 'Value at step "charge": result.paid[0] is not JSON-serializable (bigint).',
    };
    expect(told).toMatchObject([refused, refused]);
    expect(runs).toBe(1);
  });

  test("because its turn was handed over runs again if it is idempotent", async () => {
    const store = new MemoryStore();
    let runs = 0;
    const agentOf = (work: Work): LocalAgent =>
      buildCustomAgent({ name: "paying", store }, async ({ session }) => {
        await session.run(async (__, turn) => void (await work(turn)));
      });
    const lookUp: Work = (turn) =>
      turn.step({ name: "look up", input: null, idempotent: true }, async ({ signal }) => {
        runs += 1;
        if (runs > 1) return "found";
        void first.close();
        return await new Promise<never>((__, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      });
    const first = agentOf(lookUp);
    const run = first.runText("go", { sessionId: "s" });
    await run.catch(() => {});
    const desk = await agentOf(lookUp).takeWorkDesk();
    const [key] = await desk.findDue(1);
    if (key) {
      const taken = await desk.take(key);
      if (taken.kind === "taken") await taken.turn.done;
    }
    expect(runs).toBe(2);
    expect(await endOf(first)).toMatchObject({ status: "completed" });
  });
});

describe("what a step returns", () => {
  test("is the same JSON for the first worker and for the one that takes over", async () => {
    const seen: unknown[] = [];
    const at = new Date(0);
    await takenOver(async (turn, dies) => {
      const result = { at: at as never, list: [1], gone: undefined as never };
      const given = await turn.step({ name: "look", input: null }, () => result);
      seen.push(structuredClone(given));
      // Neither the step's own object nor what was stored.
      (given as { list: number[] }).list.push(2);
      expect(result.list).toEqual([1]);
      await dies();
    });
    const stored = { at: "1970-01-01T00:00:00.000Z", list: [1] };
    expect(seen).toEqual([stored, stored]);
  });

  test.each([
    ["with a store", true],
    ["without one", false],
  ])("is a copy for an agent %s", async (_, isStored) => {
    const own = { list: [1] };
    let given: unknown;
    const agent = buildCustomAgent(
      { name: "copying", ...(isStored && { store: new MemoryStore() }) },
      async ({ session }) => {
        await session.run(async (__, turn) => {
          given = await turn.step({ name: "look", input: null }, () => own);
        });
      },
    );
    await agent.runText("a");
    expect(given).toEqual(own);
    expect(given).not.toBe(own);
  });
});

function describeError(error: unknown): Json {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { status, reason, retryable, details } = error as Partial<TurnkeepError>;
  const told = { name: error.name, message: error.message, status, reason, retryable, details };
  return JSON.parse(JSON.stringify(told)) as Json;
}
