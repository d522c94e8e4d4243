import { createHandler, type HandlerOptions } from "turnkeep/http";
import { serve } from "turnkeep/node";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, it } from "vitest";
import { ROUTES } from "../../src/http/routes.ts";
import { echoAgent } from "../agent/agents.ts";
import { slowAgent } from "../agent/life/slow-agent.ts";
import { gateOf } from "../agent/life/waiting.ts";
import { frameOf, framesOf, runOf } from "./frames.ts";
import { postHead, rawSocket } from "./raw-request.ts";
import { askHandler, byToken, run, served, STREAMED, turn } from "./serving.ts";

it.each([undefined, "Public", null, {}, ""])(
  "serves nobody without a decision: %s",
  async (auth) => {
    const options = { auth } as HandlerOptions;
    expect(() => createHandler([echoAgent()], options)).toThrow(/Decide who may call/);
    await expect(serve([echoAgent()], options)).rejects.toThrow(/Decide who may call/);
  },
);

it.each([
  [{ route: ["turn"] }, "Unknown option `route`. Did you mean `routes`?"],
  [{ authorise: () => undefined }, "Unknown option `authorise`."],
  [{ limits: { bodyByte: 5 } }, "Unknown limit `bodyByte`. Did you mean `bodyBytes`?"],
])("refuses what it does not know: %j", (options, message) => {
  const wrong = { auth: "public", ...options } as HandlerOptions;
  expect(() => createHandler([echoAgent()], wrong)).toThrow(message);
});

it("asks who it is before it does anything, on every route", async () => {
  const agent = echoAgent({ store: new MemoryStore() });
  const { ask, errors } = await served([agent], { auth: () => undefined });
  for (const { method, path } of [...ROUTES, { method: "PUT", path: "no/such" }]) {
    const at = `/agents/${path.replace(":agent", "echo").replaceAll(/:\w+/g, "s.1")}`;
    const { status, body, headers } = await ask(at, {
      method,
      ...(method === "POST" && { body: "{" }),
    });
    expect([status, body.status], at).toEqual([401, "UNAUTHENTICATED"]);
    expect(headers.get("www-authenticate")).toBe("Bearer");
    expect(body.requestId).toBe(headers.get("x-request-id"));
  }
  expect(errors).toEqual([]);
  expect((await ask("/health")).status).toBe(200);
});

it("answers a stranger at once, whose body it does not read", async () => {
  const { server } = await served([echoAgent()], { auth: () => undefined });
  const head = postHead("/agents/echo", [
    "content-type: application/json",
    "content-length: 1000000000",
  ]);
  const { seen, socket } = rawSocket(server.port, head, "x".repeat(100_000));
  await expect.poll(seen).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});

it("cuts a connection that goes on sending what nobody wants", async () => {
  const { server } = await served([echoAgent()], { auth: () => undefined });
  const head = postHead("/agents/echo", [
    "content-type: application/json",
    "content-length: 1000000000",
  ]);
  const { closed, socket } = rawSocket(server.port, head);
  const send = (): void => {
    while (!socket.destroyed && socket.write("x".repeat(65_536)));
    if (!socket.destroyed) socket.once("drain", send);
  };
  send();
  expect(await closed).toMatch(/^HTTP\/1\.1 401 /);
  expect(socket.bytesWritten).toBeLessThan(64 * 1024 * 1024);
});

it.each([
  [
    "throws",
    () => {
      throw new Error("canary-auth");
    },
  ],
  [
    "rejects",
    async () => {
      throw new Error("canary-auth");
    },
  ],
  ["names no tenant", () => ({ tenant: " " })],
  ["names a number", () => ({ tenant: "a", principal: 7 })],
  ["names half a character", () => ({ tenant: "a\ud800" })],
])("is broken, and says no more, when the hook %s", async (_, auth) => {
  const { ask, errors } = await served([echoAgent()], { auth: auth as never });
  const { status, body, text } = await ask("/agents/echo", { body: turn("hi") });
  expect([status, body.status]).toEqual([500, "INTERNAL"]);
  expect(text).not.toContain("canary");
  expect(errors).toEqual([{ error: expect.any(Error), requestId: body.requestId }]);
});

it("hands on what the hook knows to the agent and its transforms", async () => {
  const agent = echoAgent({
    transformState: (state, { auth }) => ({ ...state, custom: auth as never }),
  });
  const handler = createHandler([agent], { auth: byToken });
  const { body } = await askHandler(handler, "/agents/echo", { body: turn("hi"), as: "acme/ann" });
  expect(body.result.state.custom).toEqual({ who: "acme/ann" });
});

it("asks again whenever a reader comes back, and has readers come back in time", async () => {
  const gate = gateOf();
  let isKnown = true;
  const agent = slowAgent({ store: new MemoryStore() }, () => gate.promise);
  const { open, ask } = await served([agent], {
    auth: () => (isKnown ? { tenant: "acme" } : undefined),
    limits: { streamMs: 40 },
  });
  const submitted = await open("/agents/slow/runs", { body: run("go"), headers: STREAMED });
  const frames = framesOf(submitted);
  const { runId } = await runOf(frames);
  const events: string[] = [];
  for await (const { event } of frames) events.push(event);
  expect(events).not.toContain("result");
  const again = await open(`/agents/slow/runs/${runId}/events`);
  expect(again.status).toBe(200);
  await expect(frameOf(again, "result")).rejects.toThrow("ended without");
  isKnown = false;
  expect((await ask(`/agents/slow/runs/${runId}/events`)).status).toBe(401);
  isKnown = true;
  gate.open();
  const result = async (): Promise<unknown> =>
    await frameOf(await open(`/agents/slow/runs/${runId}/events`), "result").catch(() => undefined);
  await expect.poll(result).toMatchObject({ data: { finishReason: "stop" } });
});

it("does not cut the streams of Genkit's clients, who cannot come back", async () => {
  const gate = gateOf();
  const agent = slowAgent({ store: new MemoryStore() }, () => gate.promise);
  const { open } = await served([agent], { limits: { streamMs: 10, pingMs: 10 } });
  const response = await open("/agents/slow", { body: turn("go"), headers: STREAMED });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
    if (text.split('{"message":{}}').length > 5) gate.open();
  }
  expect(text).toContain('"result"');
});
