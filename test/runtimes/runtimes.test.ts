import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Hono } from "hono";
import { remoteAgent } from "turnkeep/client";
import { toNodeHandler } from "turnkeep/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { handler } from "./counting-agent.mjs";
import { hasRuntimes, runDeno, serveWorker } from "./start-runtime.ts";
import { talk } from "./talk.mjs";

const SLOW = { timeout: 180_000 };

const TALKED = {
  said: "één ✓ two three ",
  answer: "ÉÉN ✓ TWO THREE",
  isCarried: false,
  status: "completed",
  turns: 2,
  lastEvent: "runEnd",
  refused: "NOT_FOUND",
};

// npm brings them for Linux on x64 alone; see test/support/runtimes.
if (!hasRuntimes()) console.warn("SKIPPED: npm has no Deno and no workerd for this machine.");
describe.skipIf(!hasRuntimes())("other runtimes", () => {
  test("the client talks from Deno, and Deno serves", SLOW, async () => {
    const said = await runDeno("talk", `${await serveHere()}/agents/counting`);
    expect(JSON.parse(said)).toEqual(TALKED);
    expect(await talk(`${await runDeno("serve")}/agents/counting`)).toEqual(TALKED);
  });

  test("the client talks from a Worker, and a Worker serves turns", SLOW, async () => {
    const worker = await serveWorker();
    const here = encodeURIComponent(`${await serveHere()}/agents/counting`);
    const answer = await fetch(`${worker}/?talk-to=${here}`);
    expect(await answer.text()).toBe(JSON.stringify(TALKED));
    // Nothing goes on in a Worker after the request that began it, so that nothing is detached there.
    const { chunks, output } = remoteAgent({ url: `${worker}/agents/counting` }).streamText("a b");
    let said = "";
    for await (const { modelChunk } of chunks) said += modelChunk?.content[0]?.text ?? "";
    expect([said, (await output).message?.content]).toEqual(["a b ", [{ text: "A B" }]]);
  });
});

test("Hono serves", async () => {
  const app = new Hono();
  app.all("/agents/*", (context) => handler(context.req.raw));
  const url = await serveHere(async (request) => app.fetch(request));
  expect(await talk(`${url}/agents/counting`)).toEqual(TALKED);
  expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
});

async function serveHere(answer: typeof handler = handler): Promise<string> {
  const bridge = toNodeHandler(answer);
  const server = createServer((request, response) => void bridge(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
