import { describe, expect, test } from "vitest";
import { chooseSeed, SeededRandom } from "../../chaos/seeded-random.ts";
import { printCounts } from "../../races/start-race.ts";
import { echoAgent, user } from "../agents.ts";
import { CHATTY_CHUNKS, chattyAgent } from "./chatty-agent.ts";
import { readInPieces } from "./read-in-pieces.ts";
import { slowAgent } from "./slow-agent.ts";
import { startProcess } from "./start-process.ts";
import { databaseFile, openShared, STORES } from "./stores.ts";
import { sweepNow } from "./sweep-now.ts";
import { collect, gateOf, sleep, until, untilAborted } from "./waiting.ts";

const ALL = Array.from({ length: CHATTY_CHUNKS + 2 }, (_, index) => index + 1);

describe.each(STORES)("attaching to a run over %s", (name, createStore) => {
  test("leaving in mid-stream and coming back at random shows each event once, in order", async () => {
    const random = new SeededRandom(chooseSeed(process.env["TURNKEEP_SEED"]));
    const store = await createStore();
    const writer = chattyAgent({ store });
    const reader = chattyAgent({ store });
    const { runId } = await writer.detach(user("go"), { sessionId: "s" });
    const readers = Array.from({ length: 5 }, () =>
      readInPieces(reader, runId, (bound) => random.below(bound)),
    );
    let visits = 0;
    for (const reading of await Promise.all(readers)) {
      expect(reading.seqs).toEqual(ALL);
      expect(reading.types.slice(-2)).toEqual(["turnEnd", "runEnd"]);
      visits += reading.visits;
    }
    printCounts("agent: readers that come and go", { store: name, events: ALL.length, visits });
  });

  test("a connection that is left in mid-stream is read on from its last event by attaching", async () => {
    const agent = chattyAgent({ store: await createStore() });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("go");
    const seen: number[] = [];
    for await (const { seq } of connection.events()) {
      seen.push(seq);
      if (seen.length === 40) break;
    }
    for await (const { seq } of agent.attach(connection.runId, { after: seen.at(-1)! })) {
      seen.push(seq);
      if (seq > CHATTY_CHUNKS) break;
    }
    expect(seen).toEqual(ALL.slice(0, -1));
    await connection.output();
  });

  test("before its first event waits for it", async () => {
    const gate = gateOf();
    const store = await createStore();
    const agent = slowAgent({ store, name: "waiting" }, () => gate.promise);
    const first = await agent.detach(user("a"), { sessionId: "s" });
    const connection = agent.connect({ sessionId: "s", onBusy: "queue" });
    await connection.sendText("b");
    const reading = collect(agent.attach(connection.runId));
    await sleep(20);
    gate.open();
    await first.wait();
    await connection.output();
    expect((await reading).map(({ type }) => type)).toEqual([
      "chunk",
      "chunk",
      "turnEnd",
      "runEnd",
    ]);
  });

  test("after its end, at its end and beyond it, ends at once", async () => {
    const agent = echoAgent({ store: await createStore() });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.output();
    const types = async (after: number): Promise<readonly string[]> =>
      (await collect(agent.attach(connection.runId, { after }))).map(({ type }) => type);
    expect(await types(0)).toEqual(["chunk", "turnEnd", "runEnd"]);
    expect(await types(2)).toEqual(["runEnd"]);
    expect(await types(3)).toEqual([]);
    expect(await types(99)).toEqual([]);
  });

  test("that is aborted shows its end, also to those who are reading", async () => {
    const agent = slowAgent({ store: await createStore() }, (_, { signal }) =>
      untilAborted(signal),
    );
    const { runId, abort } = await agent.detach(user("a"), { sessionId: "s" });
    const reading = collect(agent.attach(runId));
    await sleep(30);
    await abort();
    const types = (await reading).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(["turnEnd", "runEnd"]);
    expect((await collect(agent.attach(runId))).map(({ type }) => type)).toEqual(types);
  });

  test("that does not exist is NOT_FOUND, whatever the id looks like", async () => {
    const agent = echoAgent({ store: await createStore() });
    await agent.runText("a", { sessionId: "s" });
    for (const id of [
      "",
      "nonsense",
      "s.0000000000000000000000000a",
      "t.0000000000000000000000000a",
    ]) {
      await expect(collect(agent.attach(id))).rejects.toMatchObject({ status: "NOT_FOUND" });
    }
  });

  test("whose events were swept ends without runEnd", async () => {
    const store = await createStore();
    const agent = echoAgent({ store });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.output();
    const swept = { agent: agent.name, sessionId: "s" };
    await sweepNow(store, swept, { endedRunsMs: 0, requestsMs: 0 });
    expect(await collect(agent.attach(connection.runId))).toEqual([]);
    expect(await agent.getLatestSnapshot("s")).toMatchObject({ status: "completed" });
  });

  test("stops when the reader's signal aborts, with its reason, and the run goes on", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, () => gate.promise);
    const { runId, wait } = await agent.detach(user("a"), { sessionId: "s" });
    const reader = new AbortController();
    const reading = collect(agent.attach(runId, { signal: reader.signal }));
    setTimeout(() => reader.abort(new Error("enough")), 20);
    await expect(reading).rejects.toThrow("enough");
    gate.open();
    expect(await wait()).toMatchObject({ status: "completed" });
  });
});

describe("attaching from a real second process", () => {
  test("that comes and goes shows each event once, in order", async () => {
    const database = databaseFile();
    const agent = chattyAgent({ store: await openShared(database) });
    const first = agent.connect({ sessionId: "s" });
    const reader = startProcess("reader-process.ts", { database, runId: first.runId });
    // A process takes its time; it is to be there while the agent speaks.
    await reader.said("ready");
    await first.sendText("go");
    await first.output();
    await reader.ended;
    await until(() => reader.lines.length > 1);
    const { seqs, visits } = JSON.parse(reader.lines[1]!) as {
      readonly seqs: readonly number[];
      readonly visits: number;
    };
    expect(seqs).toEqual(ALL);
    expect(visits).toBeGreaterThan(1);
  });
});
