import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createHandler } from "turnkeep/http";
import { toNodeHandler } from "turnkeep/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { STORES } from "../../agent/authoring/stores.ts";
import { until } from "../../agent/life/waiting.ts";
import { allFrames, framesOf, genkitFrames } from "../frames.ts";
import { requestInit, run, STREAMED, turn, WIDE } from "../serving.ts";
import { FLOOD_CHUNKS, floodAgent } from "./flood-agent.ts";
import { eventsRequest, silentReader } from "./silent-reader.ts";
import { WatchedAnswers } from "./watched-answers.ts";

// The system itself takes four megabytes for each of them before one stalls.
const READERS: Readonly<Record<string, number>> = { memory: 100, sqlite: 20 };
const NEVER_MS = 3_600_000;
const MOST_HELD = 256 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

describe.each(STORES)("readers that do not read, over %s", (name, open) => {
  it("are held little for, and nobody waits for them", async () => {
    const agent = floodAgent({ store: await open() });
    const limits = { ...WIDE, stallMs: NEVER_MS };
    const handler = createHandler([agent], { auth: "public", limits });
    const { port, answers } = await watched(createServer(), toNodeHandler(handler));
    const flood = async (): Promise<string> => await floodAt(port);
    const count = READERS[name] ?? 0;
    const runId = await flood();
    answers.forget();
    collectGarbage();
    const before = memory();
    const readers = readersOf(port, runId, count);
    await until(() => answers.all.length === count);
    const stalling = answers.all;
    await until(() => stalling.every(({ writableNeedDrain }) => writableNeedDrain));
    collectGarbage();
    expect(answers.report().mostHeldBytes).toBeLessThan(MOST_HELD);
    expect(memory() - before).toBeLessThan(64 * 1024 * 1024);
    // Those who do not read are borne with for ever, so that a run that waited for them would never end.
    await flood();
    expect(stalling.some(({ destroyed }) => destroyed)).toBe(false);
    expect(readers).toHaveLength(count);
  });

  it("are dropped in time", async () => {
    const agent = floodAgent({ store: await open() });
    const limits = { ...WIDE, stallMs: 300 };
    const handler = createHandler([agent], { auth: "public", limits });
    const { port, answers } = await watched(createServer(), toNodeHandler(handler));
    const runId = await floodAt(port);
    answers.forget();
    const readers = readersOf(port, runId, 5);
    await until(() => answers.all.length === readers.length);
    const stalling = answers.all;
    await until(() => stalling.every(({ destroyed }) => destroyed));
  });

  it("read on from the log when they come to, without a gap", async () => {
    const agent = floodAgent({ store: await open() });
    const handler = createHandler([agent], { auth: "public", limits: WIDE });
    const { port } = await watched(createServer(), toNodeHandler(handler));
    const url = `http://127.0.0.1:${port}/agents/flood`;
    const native = await fetch(`${url}/runs`, requestInit({ body: run("a"), headers: STREAMED }));
    const genkit = await fetch(url, requestInit({ body: turn("b"), headers: STREAMED }));
    await until(async () => {
      const { sessions } = await agent.listSessions();
      return sessions.length === 2 && sessions.every(({ status }) => status === "idle");
    });
    const seqs: number[] = [];
    let last;
    for await (const { event, data } of framesOf(native)) {
      if (event === "update" && data.type === "chunk") seqs.push(data.seq);
      last = event;
    }
    expect(seqs).toEqual(Array.from({ length: FLOOD_CHUNKS }, (_, index) => index + 1));
    expect(last).toBe("result");
    const frames = genkitFrames(await genkit.text()) as {
      message?: { modelChunk?: { content: { text: string }[] } };
    }[];
    const numbers = frames.flatMap(({ message }) =>
      message?.modelChunk ? [Number.parseInt(message.modelChunk.content[0]!.text, 10)] : [],
    );
    expect(numbers).toEqual(Array.from({ length: FLOOD_CHUNKS }, (_, index) => index));
    expect(frames.at(-1)).toHaveProperty("result");
  });
});

it("a run that nobody keeps ends with its reader", async () => {
  const agent = floodAgent({});
  const handler = createHandler([agent], { auth: "public", limits: { ...WIDE, stallMs: 300 } });
  const { port, answers } = await watched(createServer(), toNodeHandler(handler));
  const body = JSON.stringify(turn("go"));
  testReader(
    port,
    `POST /agents/flood HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await until(() => answers.all.some(({ destroyed }) => destroyed));
});

/** Has a run say a lot, reads all of it, and tells the run's id. */
async function floodAt(port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}/agents/flood`;
  const response = await fetch(`${url}/runs`, requestInit({ body: run("go") }));
  const { runId } = (await response.json()) as { runId: string };
  const events = await fetch(`${url}/runs/${runId}/events`);
  const seen = (await allFrames(events)).filter(({ event }) => event === "update");
  expect(seen).toHaveLength(FLOOD_CHUNKS + 2);
  return runId;
}

function readersOf(port: number, runId: string, count: number): readonly Socket[] {
  return Array.from({ length: count }, (_, index) =>
    testReader(port, eventsRequest(`/agents/flood/runs/${runId}/events?after=${index % 9}`)),
  );
}

function testReader(port: number, request: string): Socket {
  const socket = silentReader(port, request);
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function watched(
  server: Server,
  handler: ReturnType<typeof toNodeHandler>,
): Promise<{ readonly port: number; readonly answers: WatchedAnswers }> {
  const answers = new WatchedAnswers();
  server.on("request", (incoming, outgoing) => {
    answers.add(outgoing);
    void handler(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, answers };
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
