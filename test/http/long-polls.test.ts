import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { slowAgent } from "../agent/life/slow-agent.ts";
import { type Gate, gateOf, until } from "../agent/life/waiting.ts";
import { countingStore } from "../ledger/counting-store.ts";
import { type Answer, byToken, run, served, type Served } from "./serving.ts";

interface Poll {
  readonly milliseconds?: number;
  readonly signal?: AbortSignal;
}

interface Stage extends Served {
  /** Lets the turn under way end. */
  readonly gate: Gate;
  readonly calls: ReturnType<typeof countingStore>["calls"];
  /** Waits for the turn under way. */
  readonly poll: (options?: Poll) => Promise<Answer>;
}

/** A server with one turn of ann's under way, behind so many that have ended. */
async function stage(turns: number): Promise<Stage> {
  const gate = gateOf();
  const { store, calls } = countingStore(new MemoryStore());
  const agent = slowAgent({ store }, (text) => (text === "wait" ? gate.promise : undefined));
  const session = { sessionId: "s", tenant: "acme/ann" };
  for (let turn = 0; turn < turns; turn += 1) await agent.runText("hi", session);
  const on = await served([agent], { auth: byToken, limits: { streams: 20 } });
  const body = run("wait", { init: { sessionId: "s" } });
  await on.ask("/agents/slow/runs", { as: "acme/ann", body });
  const { snapshotId } = (await agent.listSnapshots("s", { tenant: "acme/ann" })).at(-1)!;
  const poll: Stage["poll"] = ({ milliseconds = 30_000, signal } = {}) =>
    on.ask(`/agents/slow/snapshots/${snapshotId}?wait=${milliseconds}`, {
      as: "acme/ann",
      ...(signal && { signal }),
    });
  return { ...on, gate, calls, poll };
}

describe("long polls", () => {
  test("count as open streams: of 100 of one principal 80 are refused, and another principal reads", async () => {
    const { ask, gate, poll } = await stage(3);
    let refused = 0;
    const polls = Array.from({ length: 100 }, async () => {
      const { status, body } = await poll();
      if (status === 429) refused += 1;
      return [status, body.details?.reason ?? body.status];
    });
    await until(() => refused === 80);
    const other = await ask("/agents/slow/sessions", { as: "acme/bob" });
    expect(other.status).toBe(200);
    gate.open();
    const answers = await Promise.all(polls);
    expect(answers.filter(([status]) => status === 200)).toEqual(
      Array.from({ length: 20 }, () => [200, "completed"]),
    );
    expect(answers.filter(([status]) => status === 429)).toEqual(
      Array.from({ length: 80 }, () => [429, "TOO_MANY_STREAMS"]),
    );
  });

  test("are counted no more when they are answered, or given up", async () => {
    const { gate, poll } = await stage(0);
    const giveUp = new AbortController();
    const polls = fill(() => poll({ signal: giveUp.signal }));
    await until(() => polls.refused === 1);
    giveUp.abort();
    // As soon as the server has noticed that the others are gone.
    await until(async () => (await poll({ milliseconds: 1 })).status === 200);
    for (let time = 0; time < 30; time += 1) {
      expect((await poll({ milliseconds: 1 })).status).toBe(200);
    }
    gate.open();
  });

  test("read the head record and no tree, once for all who wait for the same turn", async () => {
    const { gate, calls, poll } = await stage(30);
    const before = new Map(calls);
    const more = (call: string): number => (calls.get(call) ?? 0) - (before.get(call) ?? 0);
    const polls = fill(() => poll());
    await until(() => polls.refused === 1);
    await until(() => more("watch") > 0);
    gate.open();
    await polls.over;
    expect([more("range"), more("watch")]).toEqual([0, 1]);
  });
});

/** Polls until one is refused: the rest waits then. */
function fill(poll: () => Promise<Answer>): { readonly over: Promise<unknown>; refused: number } {
  const all = Array.from({ length: 21 }, async () => {
    const { status } = await poll().catch(() => ({ status: 0 }));
    if (status === 429) polls.refused += 1;
  });
  const polls = { over: Promise.all(all), refused: 0 };
  return polls;
}
