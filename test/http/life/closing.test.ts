import { remoteAgent } from "genkit/beta/client";
import { answeringLate, type HeldAnswer, heldAnswer } from "../../agent/life/answering-late.ts";
import type { Meanwhile } from "../../agent/life/slow-agent.ts";
import { serve } from "turnkeep/node";
import { expect, it, onTestFinished } from "vitest";
import { collect } from "../../agent/authoring/turns.ts";
import { slowAgent } from "../../agent/life/slow-agent.ts";
import { databaseFile, openShared } from "../../agent/life/stores.ts";
import { gateOf, until, untilAborted } from "../../agent/life/waiting.ts";
import { allFrames, frameOf, framesOf, runOf } from "../frames.ts";
import { rawSocket } from "../raw-request.ts";
import { run, type Served, served, STREAMED, turn } from "../serving.ts";

const LEASE_MS = 5000;

it("finishes what is under way when it is given the time, and takes nothing more", async () => {
  const gate = gateOf();
  const { server, open } = await serving(databaseFile(), () => gate.promise);
  const native = await open("/agents/slow/runs", { body: run("a"), headers: STREAMED });
  const genkit = remoteAgent({ url: `${server.url}/agents/slow` })
    .chat()
    .sendStream("b");
  const chunks = genkit.stream[Symbol.asyncIterator]();
  await chunks.next();
  const idle = rawSocket(server.port, "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await expect.poll(idle.seen).toContain("200 OK");
  const closed = server.close({ handOverMs: 100_000 });
  await expect(open("/health")).rejects.toThrow(Error);
  gate.open();
  expect((await allFrames(native)).at(-1)).toMatchObject({
    event: "result",
    data: { finishReason: "stop" },
  });
  while (!(await chunks.next()).done);
  expect((await genkit.response).text).toBe("re: b");
  await closed;
  await idle.closed;
});

it("hands over what is not done in time: another process finishes it, and its readers find it there", async () => {
  const file = databaseFile();
  const first = await serving(file, (_, { signal }) => untilAborted(signal));
  const native = await first.open("/agents/slow/runs", { body: run("a"), headers: STREAMED });
  const frames = framesOf(native);
  const { runId } = await runOf(frames);
  const last = (await frames.next()).value?.id ?? "";
  const genkit = remoteAgent({ url: `${first.url}/agents/slow` }).chat({ sessionId: "g" });
  const failed = genkit.send("b");
  failed.catch(() => {});
  const second = await serving(file, () => {});
  await until(
    async () =>
      (await first.ask("/agents/slow/sessions?activity=active")).body.sessions.length === 2,
  );
  await first.server.close();
  await expect(collect(frames)).rejects.toThrow(Error);
  await expect(failed).rejects.toThrow(Error);
  const again = await second.open(`/agents/slow/runs/${runId}/events`, {
    headers: { "last-event-id": last },
  });
  const rest = await allFrames(again);
  expect(rest.at(-1)).toMatchObject({
    event: "result",
    data: { finishReason: "stop", message: { content: [{ text: "re: a" }] } },
  });
  const seqs = rest.filter(({ event }) => event === "update").map(({ data }) => data.seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 2));
  await expect
    .poll(async () => (await second.ask("/agents/slow/sessions/g")).body.status)
    .toBe("completed");
});

it("goes on reading a run that another process has taken over", async () => {
  const file = databaseFile();
  const here = await serving(file, (_, { signal }) => untilAborted(signal));
  const asked = [
    await here.open("/agents/slow/runs", {
      body: run("a", { init: { sessionId: "a" } }),
      headers: STREAMED,
    }),
    await here.open("/agents/slow", { body: turn("b", { sessionId: "b" }), headers: STREAMED }),
  ];
  const plain = here.ask("/agents/slow", { body: turn("c", { sessionId: "c" }) });
  await until(
    async () =>
      (await here.ask("/agents/slow/sessions?activity=active")).body.sessions.length === 3,
  );
  const there = slowAgent({ store: await openShared(file), limits: { leaseMs: LEASE_MS } });
  onTestFinished(() => there.close());
  await here.agent.close();
  expect((await frameOf(asked[0]!, "result")).data.message.content).toEqual([{ text: "re: a" }]);
  expect(await asked[1]!.text()).toMatch(/data: \{"result":\{.*re: b.*\n\n$/);
  expect((await plain).body.result).toMatchObject({
    finishReason: "stop",
    message: { content: [{ text: "re: c" }] },
  });
});

it("answers 503 to a request whose input is being committed, and another server answers it", async () => {
  const file = databaseFile();
  const held = heldAnswer();
  const first = await servingLate(file, held);
  const answer = first.ask("/agents/slow", { body: turn("b", { sessionId: "g" }) });
  await held.reached.promise;
  const closed = first.server.close();
  held.gate.open();
  expect(await answer).toMatchObject({
    status: 503,
    body: { status: "UNAVAILABLE", details: { retryable: true } },
  });
  await closed;
  const second = await serving(file, () => {});
  await expect
    .poll(async () => (await second.ask("/agents/slow/sessions/g")).body)
    .toMatchObject({ status: "completed", finishReason: "stop" });
});

it("accepts a run whose commit is in flight, and the same request id names the same run elsewhere", async () => {
  const file = databaseFile();
  const held = heldAnswer();
  const first = await servingLate(file, held);
  const body = run("a", { init: { sessionId: "s" }, requestId: "r" });
  const answer = first.ask("/agents/slow/runs", { body });
  await held.reached.promise;
  const closed = first.server.close();
  held.gate.open();
  const { status, body: accepted } = await answer;
  expect(status).toBe(202);
  await closed;
  const second = await serving(file, () => {});
  const again = await second.ask("/agents/slow/runs", { body });
  expect(again).toMatchObject({ status: 200, body: { runId: accepted.runId } });
  await expect
    .poll(async () => (await second.ask("/agents/slow/sessions/s")).body)
    .toMatchObject({ status: "completed", finishReason: "stop" });
});

it("is told at once that the port is taken", async () => {
  const { server } = await served([slowAgent({})]);
  const again = serve([slowAgent({})], { auth: "public", port: server.port });
  await expect(again).rejects.toThrow("EADDRINUSE");
});

// Its turns never end by themselves.
async function servingLate(file: string, held: HeldAnswer): Promise<Served> {
  const store = answeringLate(await openShared(file), held);
  const agent = slowAgent({ store, limits: { leaseMs: LEASE_MS } }, (_, { signal }) =>
    untilAborted(signal),
  );
  await agent.startWorker().stop();
  return await served([agent]);
}

async function serving(
  file: string,
  meanwhile: Meanwhile,
): Promise<Served & { readonly agent: ReturnType<typeof slowAgent> }> {
  const agent = slowAgent(
    { store: await openShared(file), limits: { leaseMs: LEASE_MS } },
    meanwhile,
  );
  return { ...(await served([agent])), agent };
}
