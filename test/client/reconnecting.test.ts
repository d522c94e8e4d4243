import type { LocalAgent } from "turnkeep";
import { type Reconnect, remoteAgent, type RunUpdate } from "turnkeep/client";
import { describe, expect, test } from "vitest";
import { textOf } from "../agent/agents.ts";
import { STORES } from "../agent/authoring/stores.ts";
import { agentOf } from "../agent/authoring/turns.ts";
import { CHATTY_CHUNKS, chattyAgent } from "../agent/life/chatty-agent.ts";
import { startProcess } from "../agent/life/start-process.ts";
import { databaseFile } from "../agent/life/stores.ts";
import { gateOf, sleep, until } from "../agent/life/waiting.ts";
import { chooseSeed, SeededRandom } from "../chaos/seeded-random.ts";
import { served } from "../http/serving.ts";
import { cuttingFetch, cuttingProxy } from "./cutting.ts";
import { behindHttp, HASTY } from "./remote.ts";

const ALL_SEQS = Array.from({ length: CHATTY_CHUNKS + 1 }, (_, index) => index + 1);
const ALL_WORDS = Array.from({ length: CHATTY_CHUNKS }, (_, index) => `${index}`);

function wordsOf(updates: readonly RunUpdate[]): readonly string[] {
  return updates.flatMap(({ chunk }) => (chunk?.modelChunk ? [textOf(chunk.modelChunk)] : []));
}

describe.each(STORES)("over %s", (_name, openStore) => {
  test("a stream that is cut at random a hundred times loses and doubles nothing", async () => {
    const seed = chooseSeed(process.env["TURNKEEP_SEED"]);
    const random = new SeededRandom(seed);
    const fetch = cuttingFetch(
      () => random.below(4000),
      () => random.chance(0.5),
    );
    const agent = await behindHttp(chattyAgent({ store: await openStore() }), {
      fetch,
      attempts: 20,
    });
    for (let run = 0; fetch.cuts() < 100; run += 1) {
      const connection = agent.connect({ sessionId: `s${run}` });
      await connection.sendText("go");
      connection.close();
      const seen: RunUpdate[] = [];
      for await (const update of connection.events()) seen.push(update);
      expect(
        seen.map(({ seq }) => seq),
        `seed ${seed}`,
      ).toEqual(ALL_SEQS);
      expect(wordsOf(seen)).toEqual(ALL_WORDS);
      expect((await connection.output()).finishReason).toBe("stop");
      const attached: RunUpdate[] = [];
      for await (const update of agent.attach(connection.runId, { after: 100 })) {
        attached.push(update);
      }
      expect(attached.map(({ seq }) => seq)).toEqual([...ALL_SEQS.slice(100), CHATTY_CHUNKS + 2]);
      expect(await agent.listSnapshots(`s${run}`)).toHaveLength(1);
    }
  });

  test("so does one behind a proxy that resets connections", async () => {
    const random = new SeededRandom(chooseSeed(process.env["TURNKEEP_SEED"]));
    const local = chattyAgent({ store: await openStore() });
    const { server } = await served([local]);
    const proxy = await cuttingProxy(server.port, () => 200 + random.below(6000));
    const agent = remoteAgent({
      url: `http://127.0.0.1:${proxy.port}/agents/chatty`,
      ports: HASTY,
      attempts: 20,
    });
    for (let run = 0; proxy.cuts() < 40; run += 1) {
      const { chunks, output } = agent.streamText("go", { sessionId: `s${run}` });
      const words: string[] = [];
      for await (const { modelChunk } of chunks) if (modelChunk) words.push(textOf(modelChunk));
      expect(words).toEqual(ALL_WORDS);
      expect((await output).finishReason).toBe("stop");
      expect(await local.listSnapshots(`s${run}`)).toHaveLength(1);
    }
  });
});

test("a server that is killed in mid-turn and started again on the same port is waited for", async () => {
  const order = { database: databaseFile(), port: 0, words: 60 };
  const first = startProcess("../../client/server-process.ts", order);
  await first.said("ready");
  const port = Number(first.lines[0]);
  const lost: Reconnect[] = [];
  const agent = remoteAgent({
    url: `http://127.0.0.1:${port}/agents/talker`,
    attempts: 1000,
    onReconnect: (reconnect) => lost.push(reconnect),
    ports: HASTY,
  });
  const connection = agent.connect({ sessionId: "s" });
  await connection.sendText("go");
  connection.close();
  const seen: RunUpdate[] = [];
  let second: ReturnType<typeof startProcess> | undefined;
  for await (const update of connection.events()) {
    seen.push(update);
    if (seen.length !== 20 || second) continue;
    first.kill("SIGKILL");
    await first.ended;
    second = startProcess("../../client/server-process.ts", { ...order, port });
  }
  expect(lost.length).toBeGreaterThan(0);
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
  const restart = seen.findLastIndex(({ type }) => type === "restarted");
  expect(restart).toBeGreaterThan(0);
  expect(wordsOf(seen.slice(restart))).toEqual(
    Array.from({ length: order.words }, (_, word) => `${word} `),
  );
  const output = await connection.output();
  expect([output.finishReason, textOf(output.message)]).toEqual(["stop", "all said"]);
  expect(await agent.listSnapshots("s")).toHaveLength(1);
});

test("a server that hands its runs over when it closes is not the end of them", async () => {
  const database = databaseFile();
  const first = startProcess("../../client/server-process.ts", { database, port: 0, words: 40 });
  await first.said("ready");
  const port = Number(first.lines[0]);
  const agent = remoteAgent({
    url: `http://127.0.0.1:${port}/agents/talker`,
    attempts: 1000,
    ports: HASTY,
  });
  const run = agent.streamText("go", { sessionId: "s" });
  for await (const { modelChunk } of run.chunks) if (modelChunk) break;
  first.kill("SIGTERM");
  await first.ended;
  startProcess("../../client/server-process.ts", { database, port, words: 40 });
  expect((await run.output).finishReason).toBe("stop");
});

test("going away stops nothing; only abort does", async () => {
  const gate = gateOf();
  const stopped: string[] = [];
  const [, openStore] = STORES[0]!;
  const local: LocalAgent = agentOf(
    { store: await openStore() },
    async ({ respond }, turn, text) => {
      turn.signal.addEventListener("abort", () => stopped.push(text));
      respond.text("begun");
      await gate.promise;
    },
  );
  const gone = new AbortController();
  const agent = await behindHttp(local, {
    fetch: (url, init) =>
      fetch(url, {
        ...init,
        signal: AbortSignal.any([gone.signal, ...(init.signal ? [init.signal] : [])]),
      }),
    attempts: 0,
  });
  const left = agent.streamText("left", { sessionId: "left" });
  for await (const { modelChunk } of left.chunks) if (modelChunk) break;
  const aborted = agent.streamText("aborted", { sessionId: "aborted" });
  for await (const { modelChunk } of aborted.chunks) if (modelChunk) break;
  await agent.abort(aborted.runId);
  expect((await aborted.output).finishReason).toBe("aborted");
  gone.abort(new TypeError("gone"));
  await expect(left.output).rejects.toMatchObject({ status: "UNAVAILABLE" });
  await sleep(50);
  expect(stopped).toEqual(["aborted"]);
  gate.open();
  await until(async () => (await local.getLatestSnapshot("left")).status === "completed");
});
