import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { createHandler, type HandlerOptions } from "turnkeep/http";
import { toNodeHandler } from "turnkeep/node";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { slowAgent } from "../agent/life/slow-agent.ts";
import { gateOf } from "../agent/life/waiting.ts";
import { allFrames } from "../http/frames.ts";
import { postHead, rawRequest, rawSocket } from "../http/raw-request.ts";
import {
  answerOf,
  askHandler,
  requestInit,
  run,
  served,
  STREAMED,
  turn,
  WIDE,
} from "../http/serving.ts";

const OPTIONS: HandlerOptions = { auth: "public", routes: "all", limits: WIDE };

/** Ways to put the handler into a server of Node's. */
const MOUNTS: readonly (readonly [
  string,
  (handler: ReturnType<typeof toNodeHandler>) => RequestListener,
])[] = [
  ["node:http", (handler) => (incoming, outgoing) => void handler(incoming, outgoing)],
  ["Express", (handler) => express().use(handler)],
  ["Express, at a path", (handler) => express().use("/agents", handler)],
  ["Express, at a route", (handler) => express().all("/agents/{*rest}", handler)],
  ["Express, after json()", (handler) => express().use(express.json({ strict: false }), handler)],
  ["Express, after text()", (handler) => express().use(express.text({ type: "*/*" }), handler)],
  ["Express, after raw()", (handler) => express().use(express.raw({ type: "*/*" }), handler)],
];

describe.each(MOUNTS)("agents in %s", (_, mount) => {
  it("answer, stream and refuse", async () => {
    const handler = createHandler([echoAgent({ store: new MemoryStore() })], OPTIONS);
    const url = await listening(mount(toNodeHandler(handler)));
    const ask = async (path: string, body: unknown, headers = {}) =>
      await fetch(`${url}${path}`, requestInit({ body, headers }));
    const text = "Grüße 👋 __proto__";
    const plain = await answerOf(await ask("/agents/echo", turn(text, { sessionId: "s" })));
    expect(plain.body.result.message.content).toEqual([{ text: text.toUpperCase() }]);
    expect(plain.headers.get("x-request-id")).toMatch(/^[0-9a-z]{26}$/);
    const frames = await allFrames(await ask("/agents/echo/runs", run("hi"), STREAMED));
    expect(frames.map(({ event }) => event)).toEqual(["run", "update", "update", "result"]);
    const { status } = await fetch(`${url}/agents/echo/sessions/s`);
    expect(status).toBe(200);
    expect((await fetch(`${url}/agents/echo/sessions/s`, { method: "DELETE" })).status).toBe(200);
    const reserved = '{"data":{"message":{"role":"user","content":[]},"__proto__":{"x":1}}}';
    expect((await ask("/agents/echo", reserved)).status).toBe(400);
    expect((await ask("/agents/echo", "[]")).status).toBe(400);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

it("answers where fetch is all there is, as in Hono, Next and Workers", async () => {
  const handler = createHandler([echoAgent()], OPTIONS);
  expect(
    (await askHandler(handler, "/agents/echo", { body: turn("hi") })).body.result.message.content,
  ).toEqual([{ text: "HI" }]);
  const { text } = await askHandler(handler, "/agents/echo", {
    body: turn("hi"),
    headers: STREAMED,
  });
  expect(text).toMatch(/^data: /);
  expect(
    (
      await askHandler(handler, "/agents/echo", {
        method: "POST",
        headers: { "content-type": "application/json" },
      })
    ).status,
  ).toBe(400);
});

it("gives HEAD no body, and OPTIONS an answer", async () => {
  const { server } = await served([echoAgent()]);
  const head = await rawRequest(server.port, "/health", { method: "HEAD" });
  expect([head.status, head.text]).toEqual([200, ""]);
  const refused = await rawRequest(server.port, "/agents/echo", { method: "HEAD" });
  expect([refused.status, refused.headers["allow"], refused.text]).toEqual([405, "POST, GET", ""]);
  expect((await rawRequest(server.port, "/agents/echo", { method: "OPTIONS" })).status).toBe(403);
  expect((await rawRequest(server.port, "*", { method: "OPTIONS" })).status).toBe(403);
  expect((await rawRequest(server.port, "/agents/echo", { method: "TRACE" })).status).toBe(400);
});

it("takes no host for more than a host, and no path for a host", async () => {
  const handler = createHandler([echoAgent()], OPTIONS);
  const url = new URL(await listening(MOUNTS[0]![1](toNodeHandler(handler))));
  const port = Number(url.port);
  for (const host of [
    "a b",
    "localhost/agents",
    "x@localhost",
    "localhost?x",
    "[::1",
    "lo%cal",
    "a:b:c",
    "#",
  ]) {
    expect((await rawRequest(port, "/agents", { headers: { host } })).status, host).toBe(400);
  }
  expect((await rawRequest(port, "//localhost/agents")).status).toBe(404);
  expect((await rawRequest(port, "/x/../agents")).status).toBe(200);
  expect((await rawRequest(port, "http://elsewhere.example/agents")).status).toBe(200);
  expect((await rawRequest(port, "http://[::1/agents")).status).toBe(400);
  const { seen } = rawSocket(port, "GET /agents HTTP/1.0\r\n\r\n");
  await expect.poll(seen).toContain("200 OK");
});

it("refuses a request with two Host headers", async () => {
  const { server } = await served([echoAgent()]);
  const ask = (...hosts: readonly string[]): string =>
    ["GET /agents HTTP/1.1", ...hosts, "connection: close", "", ""].join("\r\n");
  const one = rawSocket(server.port, ask("host: localhost"));
  expect(await one.closed).toMatch(/^HTTP\/1\.1 200 /);
  const two = rawSocket(server.port, ask("host: localhost", "HOST: elsewhere.example"));
  expect(await two.closed).toMatch(/^HTTP\/1\.1 400 /);
  const same = rawSocket(server.port, ask("Host: localhost", "Host: localhost"));
  expect(await same.closed).toMatch(/^HTTP\/1\.1 400 /);
});

it("answers requests that were sent before the answers, in their order", async () => {
  const gate = gateOf();
  const agent = slowAgent({}, (text) => (text === "first" ? gate.promise : undefined));
  const { server } = await served([agent]);
  const requests = ["first", "second", "third"].map((text) => {
    const body = JSON.stringify(turn(text));
    return (
      postHead("/agents/slow", [
        "content-type: application/json",
        `content-length: ${body.length}`,
      ]) + body
    );
  });
  const { seen } = rawSocket(server.port, requests.join(""));
  gate.open();
  await expect
    .poll(() =>
      seen()
        .match(/re: (first|second|third)"\}\]\},"finish/g)
        ?.join(),
    )
    .toBe(["first", "second", "third"].map((text) => `re: ${text}"}]},"finish`).join());
});

it("lets go of uploads that break off, and tells nobody of it", async () => {
  const { server, errors, ask } = await served([echoAgent()]);
  const heads = [["content-length: 1000"], ["transfer-encoding: chunked"]];
  const sockets = heads.map((headers) =>
    rawSocket(
      server.port,
      postHead("/agents/echo", ["content-type: application/json", ...headers]),
      "3e8\r\n{",
    ),
  );
  await Promise.all(
    sockets.map(({ socket }) => new Promise((resolve) => socket.once("connect", resolve))),
  );
  expect((await ask("/health")).status).toBe(200);
  for (const { socket } of sockets) socket.destroy();
  await Promise.all(sockets.map(({ closed }) => closed));
  expect((await ask("/agents/echo", { body: turn("hi") })).status).toBe(200);
  expect(errors).toEqual([]);
});

it("brings no server down that fails to answer", async () => {
  const url = await listening(
    express()
      .use(toNodeHandler(() => Promise.reject(new Error("broken"))))
      .use(
        ((_, __, response, ___) =>
          void response.status(500).end("caught")) as express.ErrorRequestHandler,
      ),
  );
  expect(await (await fetch(url)).text()).toBe("caught");
});

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
