import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chooseSeed, SeededRandom } from "../../chaos/seeded-random.ts";
import { textOf, textsOf, user } from "../agents.ts";
import { CHATTY_CHUNKS, chattyAgent } from "./chatty-agent.ts";
import { slowAgent } from "./slow-agent.ts";
import { STORES } from "./stores.ts";
import { unreliable } from "./unreliable-store.ts";
import { collect, gateOf, LONG_LEASE_MS, sleep, until, untilAborted } from "./waiting.ts";

const loose: unknown[] = [];
const note = (reason: unknown): void => void loose.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

describe.each(STORES)("when the store over %s is away", (_, createStore) => {
  test("for a part of a lease, no event is lost, doubled or out of order", async () => {
    const flaky = unreliable(await createStore());
    const agent = chattyAgent({ store: flaky.store, limits: { leaseMs: LONG_LEASE_MS } });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("go");
    const texts: string[] = [];
    for await (const { modelChunk } of connection.receive()) {
      if (!modelChunk) break;
      texts.push(textOf(modelChunk));
      if (texts.length === 20) flaky.fails = () => flaky.failures < 5;
    }
    expect(texts).toEqual(Array.from({ length: CHATTY_CHUNKS }, (__, word) => `${word}`));
    expect(await connection.output()).toMatchObject({ finishReason: "stop" });
    expect(flaky.failures).toBe(5);
    const seqs = (await collect(agent.attach(connection.runId))).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: CHATTY_CHUNKS + 2 }, (__, index) => index + 1));
  });

  test("for whoever would watch it, a turn goes on without hints", async () => {
    const gate = gateOf();
    const flaky = unreliable(await createStore());
    flaky.fails = (call) => call === "watch";
    const agent = slowAgent({ store: flaky.store }, () => gate.promise);
    const run = agent.runText("a", { sessionId: "s" });
    await until(() => flaky.failures > 0);
    gate.open();
    expect(await run).toMatchObject({ finishReason: "stop" });
  });

  test("at one call in three, turns with steps end as if nothing were", async () => {
    const random = new SeededRandom(chooseSeed(process.env["TURNKEEP_SEED"]));
    const flaky = unreliable(await createStore());
    const done: string[] = [];
    const agent = slowAgent(
      { store: flaky.store, limits: { leaseMs: LONG_LEASE_MS } },
      async (text, turn) => {
        flaky.fails = () => random.chance(0.33);
        for (const name of ["pack", "pay"]) {
          await turn.step({ name, input: text }, () => done.push(`${name} ${text}`));
        }
      },
    );
    for (let turn = 0; turn < 10; turn += 1) {
      flaky.fails = () => false;
      const output = await agent.runText(`${turn}`, { sessionId: "s" }).finally(() => {
        flaky.fails = () => false;
      });
      expect(output).toMatchObject({ finishReason: "stop" });
    }
    expect(done).toEqual(
      Array.from({ length: 10 }, (__, turn) => [`pack ${turn}`, `pay ${turn}`]).flat(),
    );
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toHaveLength(20);
  });

  test("while a step's result is written down, the step is not taken again", async () => {
    const flaky = unreliable(await createStore());
    let paid = 0;
    const limits = { leaseMs: LONG_LEASE_MS };
    const agent = slowAgent({ store: flaky.store, limits }, async (__, turn) => {
      await turn.step({ name: "pay", input: null }, () => {
        flaky.fails = (call) => call === "append" && flaky.failures < 3;
        return (paid += 1);
      });
    });
    expect(await agent.runText("a")).toMatchObject({ finishReason: "stop" });
    expect(flaky.failures).toBe(3);
    expect(paid).toBe(1);
  });

  test("for longer than a lease, the turn is given up with a clear error and finished by whoever is next", async () => {
    const flaky = unreliable(await createStore());
    const agent = slowAgent({ store: flaky.store, limits: { leaseMs: 1000 } }, async (__, turn) => {
      if (turn.attempt === 1 && flaky.failures === 0) {
        flaky.fails = () => true;
        await untilAborted(turn.signal);
      }
    });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    // Nobody knows here how the turn ends, so that the answer does not say that it ended.
    await expect(connection.output()).rejects.toMatchObject({
      status: "UNAVAILABLE",
      reason: "TURN_TAKEN",
      retryable: true,
    });
    flaky.fails = () => false;
    const ended = async (): Promise<boolean> =>
      (await agent.listSnapshots("s"))[0]?.status === "completed";
    await until(ended);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["a", "re: a"]);
  });

  test("when a message comes, it is refused clearly and may be sent again", async () => {
    const flaky = unreliable(await createStore());
    const agent = slowAgent({ store: flaky.store });
    await agent.runText("a", { sessionId: "s" });
    flaky.fails = (call) => call === "commit";
    await expect(agent.runText("b", { sessionId: "s" })).rejects.toMatchObject({
      status: "UNAVAILABLE",
      retryable: true,
    });
    flaky.fails = () => false;
    expect(await agent.runText("b", { sessionId: "s" })).toMatchObject({ finishReason: "stop" });
  });

  test("when the caller aborts, nothing breaks", async () => {
    const flaky = unreliable(await createStore());
    const begun = gateOf();
    const agent = slowAgent({ store: flaky.store }, async () => {
      begun.open();
      await sleep(50);
    });
    const caller = new AbortController();
    const running = agent.runText("a", { sessionId: "s", signal: caller.signal });
    await begun.promise;
    flaky.fails = () => true;
    caller.abort();
    await sleep(10);
    flaky.fails = () => false;
    expect(["stop", "aborted"]).toContain((await running).finishReason);
  });

  test("at the very start, the agent works once the store is back", async () => {
    const flaky = unreliable(await createStore());
    flaky.fails = (call) => call === "open";
    const agent = slowAgent({ store: flaky.store });
    expect(await agent.runText("a")).toMatchObject({ error: { status: "UNAVAILABLE" } });
    flaky.fails = () => false;
    expect(await agent.run(user("a"))).toMatchObject({ finishReason: "stop" });
  });
});

test("none of this leaves a rejection that nobody handles", async () => {
  await sleep(50);
  expect(loose).toEqual([]);
});
