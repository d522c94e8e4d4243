import { MemoryStore } from "turnkeep/stores/memory";
import { expect, it } from "vitest";
import { ROUTES } from "../../src/http/routes.ts";
import { echoAgent } from "../agent/agents.ts";
import { slowAgent } from "../agent/life/slow-agent.ts";
import { gateOf } from "../agent/life/waiting.ts";
import { framesOf, runOf } from "./frames.ts";
import { postHead, rawRequest, rawSocket } from "./raw-request.ts";
import { byToken, run, served, STREAMED, turn } from "./serving.ts";

const LIMIT = 4096;
const JSON_TYPE = "content-type: application/json";

/** A turn whose body has exactly so many bytes. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify(turn(""));
  return JSON.stringify(turn("x".repeat(bytes - empty.length)));
}

it.each([
  [LIMIT - 1, 200],
  [LIMIT, 200],
  [LIMIT + 1, 413],
  [LIMIT * 10, 413],
])("answers a body of %i bytes with %i, of known and of unknown length", async (bytes, code) => {
  const { ask, url } = await served([echoAgent()], { limits: { bodyBytes: LIMIT } });
  const body = bodyOf(bytes);
  const known = await ask("/agents/echo", { body });
  expect(known.status).toBe(code);
  if (code === 413) expect(known.body.details.reason).toBe("BODY_TOO_LARGE");
  const unknown = await fetch(`${url}/agents/echo`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: new Blob([body.slice(0, 100), body.slice(100)]).stream(),
    duplex: "half",
  } as RequestInit);
  expect(unknown.status).toBe(code);
});

it("reads no further than the limit, whatever the length says", async () => {
  const { server } = await served([echoAgent()], { limits: { bodyBytes: LIMIT } });
  const told = rawSocket(
    server.port,
    postHead("/agents/echo", [JSON_TYPE, "content-length: 999999999"]),
  );
  await expect.poll(told.seen).toMatch(/^HTTP\/1\.1 413 /);
  const chunked = rawSocket(
    server.port,
    postHead("/agents/echo", [JSON_TYPE, "transfer-encoding: chunked"]),
  );
  chunked.socket.write(`2000\r\n${" ".repeat(0x2000)}\r\n`);
  await expect.poll(chunked.seen).toMatch(/^HTTP\/1\.1 413 /);
  for (const length of ["-1", "1e3", "0x10", "9".repeat(400)]) {
    const odd = rawSocket(
      server.port,
      postHead("/agents/echo", [JSON_TYPE, `content-length: ${length}`]),
      "{}",
    );
    await expect.poll(odd.seen).toMatch(/^HTTP\/1\.1 4\d\d /);
  }
  const body = bodyOf(200);
  const short = rawSocket(
    server.port,
    postHead("/agents/echo", [JSON_TYPE, "content-length: 20"]),
    body,
  );
  await expect.poll(short.seen).toMatch(/^HTTP\/1\.1 400 /);
  expect(short.seen()).not.toContain("200 OK");
});

it("does not wait for a body that does not come", async () => {
  const { server } = await served([echoAgent()], { limits: { bodyMs: 50 } });
  const slow = rawSocket(
    server.port,
    postHead("/agents/echo", [JSON_TYPE, "content-length: 100"]),
    "{",
  );
  await expect.poll(slow.seen).toMatch(/^HTTP\/1\.1 408 /);
  expect(slow.seen()).toContain("BODY_TOO_SLOW");
});

it("keeps a connection usable after an answer that did not need the body", async () => {
  const { server } = await served([echoAgent()]);
  const head = postHead("/agents/nobody", [JSON_TYPE, "content-length: 70000"]);
  const { seen, socket } = rawSocket(server.port, head, "x".repeat(70_000));
  await expect.poll(seen).toMatch(/^HTTP\/1\.1 404 /);
  socket.write("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await expect.poll(seen).toContain('{"ok":true}');
});

it.each([
  ["depth", (size: number) => `${'{"a":'.repeat(size)}1${"}".repeat(size)}`, 64 - 3],
  ["nodes", (size: number) => `[${Array(size).fill(1).join()}]`, 100_000 - 20],
  ["one string", (size: number) => JSON.stringify("x".repeat(size)), 262_144],
] as const)("takes JSON up to its limit of %s", async (_, make, limit) => {
  const { ask } = await served([echoAgent()]);
  const send = (size: number) =>
    ask("/agents/echo", {
      body: `{"data":{"message":{"role":"user","content":[]}},"init":{"promptInput":${make(size)}}}`,
    });
  expect((await send(limit - 2)).status).toBe(200);
  for (const size of [limit + 20, limit * 3]) {
    const { status, body } = await send(size);
    expect([status, body.status]).toEqual([400, "INVALID_ARGUMENT"]);
  }
});

it("takes messages of 64 parts and no more", async () => {
  const { ask } = await served([echoAgent()]);
  for (const [parts, code] of [
    [63, 200],
    [64, 200],
    [65, 400],
    [640, 400],
  ] as const) {
    const content = Array.from({ length: parts }, () => ({ text: "x" }));
    const { status } = await ask("/agents/echo", {
      body: { data: { message: { role: "user", content } } },
    });
    expect(status).toBe(code);
  }
});

it("takes URLs and headers up to their limits", async () => {
  const { server, url, ask } = await served([echoAgent()], { limits: { urlLength: 200 } });
  const path = (length: number): string => `/agents?${"x".repeat(length - url.length - 8)}`;
  for (const [length, code] of [
    [199, 200],
    [200, 200],
    [201, 414],
    [2000, 414],
  ] as const) {
    expect((await ask(path(length))).status).toBe(code);
  }
  expect(
    (await rawRequest(server.port, "/agents", { headers: { "x-long": "x".repeat(15_000) } }))
      .status,
  ).toBe(200);
  expect(
    (await rawRequest(server.port, "/agents", { headers: { "x-long": "x".repeat(17_000) } }))
      .status,
  ).toBe(431);
});

it("names the methods of a path that has others", async () => {
  const { ask } = await served([echoAgent({ store: new MemoryStore() })]);
  const paths = new Set(ROUTES.map(({ path }) => path));
  for (const path of paths) {
    const allowed = ROUTES.filter((route) => route.path === path).map(({ method }) => method);
    for (const method of ["PUT", "PATCH", "DELETE", "GET", "POST", "HEAD"]) {
      if ((allowed as string[]).includes(method)) continue;
      const at = `/agents/${path.replace(":agent", "echo").replaceAll(/:\w+/g, "s.1")}`;
      const { status, headers } = await ask(at, { method });
      expect([status, headers.get("allow")], `${method} ${path}`).toEqual([
        405,
        allowed.join(", "),
      ]);
    }
  }
});

it("takes so many inputs of one caller, and then says when to come again", async () => {
  const limits = { submissionBurst: 3, submissionsPerSecond: 0.001 };
  const { ask } = await served([echoAgent({ store: new MemoryStore() })], {
    auth: byToken,
    limits,
    sessionsOf: "tenant",
  });
  const send = (as: string, path = "", body: object = turn("hi")) =>
    ask(`/agents/echo${path}`, { as, body });
  const codes = [
    await send("acme/ann"),
    await send("acme/ann", "/runs", run("hi")),
    await send("acme/ann"),
    await send("acme/ann"),
  ];
  expect(codes.map(({ status }) => status)).toEqual([200, 202, 200, 429]);
  expect(codes.at(-1)?.headers.get("retry-after")).toBe("1");
  expect(codes.at(-1)?.body).toMatchObject({
    status: "RESOURCE_EXHAUSTED",
    details: { reason: "TOO_MANY_REQUESTS" },
  });
  expect((await send("acme/bob")).status).toBe(200);
  expect((await ask("/agents/echo/sessions", { as: "acme/ann" })).status).toBe(200);
});

it("has so many streams of one caller open, before it does anything for another", async () => {
  const gate = gateOf();
  const agent = slowAgent({ store: new MemoryStore() }, () => gate.promise);
  const { open, ask } = await served([agent], {
    auth: byToken,
    limits: { streams: 3 },
    sessionsOf: "tenant",
  });
  const start = (path: string, body: object) =>
    open(path, { as: "acme/ann", body, headers: STREAMED });
  const one = await start("/agents/slow/runs", run("a"));
  const frames = framesOf(one);
  const { runId } = await runOf(frames);
  const two = await start("/agents/slow", turn("b"));
  const three = await open(`/agents/slow/runs/${runId}/events`, { as: "acme/ann" });
  const count = async () =>
    (await ask("/agents/slow/sessions", { as: "acme/ann" })).body.sessions.length;
  await expect.poll(count).toBe(2);
  for (const asked of [
    start("/agents/slow/runs", run("c")),
    start("/agents/slow", turn("c")),
    open(`/agents/slow/runs/${runId}/events`, { as: "acme/ann" }),
  ]) {
    const { status, headers } = await asked;
    expect([status, headers.get("retry-after")]).toEqual([429, "1"]);
  }
  // The refused ones began nothing.
  expect(await count()).toBe(2);
  const bob = await open(`/agents/slow/runs/${runId}/events`, { as: "acme/bob" });
  expect(bob.status).toBe(200);
  await bob.body?.cancel();
  await frames.return(undefined);
  await expect
    .poll(async () => {
      const again = await open(`/agents/slow/runs/${runId}/events`, { as: "acme/ann" });
      await again.body?.cancel();
      return again.status;
    })
    .toBe(200);
  gate.open();
  await Promise.all([two.text(), three.text()]);
  // What ended by itself, what was not found and what was refused count no more.
  for (let time = 0; time < 5; time += 1) {
    expect((await ask("/agents/slow/runs/no.such/events", { as: "acme/ann" })).status).toBe(404);
    expect(
      (
        await ask("/agents/slow/runs", {
          as: "acme/ann",
          body: {},
          headers: { ...STREAMED, "content-type": "text/plain" },
        })
      ).status,
    ).toBe(415);
    expect(
      (await ask("/agents/slow", { as: "acme/ann", body: turn("d"), headers: STREAMED })).status,
    ).toBe(200);
  }
});
