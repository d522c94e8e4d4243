import { createHandler } from "turnkeep/http";
import { expect, it } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { rawRequest } from "./raw-request.ts";
import { askHandler, served, turn } from "./serving.ts";

const APP = "https://app.example";
const JSON_BODY = { "content-type": "application/json" };

// What a browser, or somebody with a browser's headers, sends; whether it may be answered.
const COMBINATIONS: readonly (readonly [
  string,
  (port: number) => Record<string, string>,
  boolean,
])[] = [
  ["no origin", (port) => ({ host: `127.0.0.1:${port}` }), true],
  ["by another loopback name", (port) => ({ host: `localhost:${port}` }), true],
  ["by IPv6", (port) => ({ host: `[::1]:${port}` }), true],
  ["by another IPv6 address", (port) => ({ host: `[::2]:${port}` }), false],
  [
    "rebinding",
    (port) => ({ host: `evil.example:${port}`, origin: `http://evil.example:${port}` }),
    false,
  ],
  ["rebinding without origin", (port) => ({ host: `evil.example:${port}` }), false],
  ["a trailing dot", (port) => ({ host: `localhost.:${port}` }), false],
  ["userinfo in the host", (port) => ({ host: `localhost@evil.example:${port}` }), false],
  [
    "userinfo in the origin",
    (port) => ({ host: `localhost:${port}`, origin: `http://evil@localhost:${port}` }),
    false,
  ],
  [
    "its own origin",
    (port) => ({ host: `localhost:${port}`, origin: `http://localhost:${port}` }),
    true,
  ],
  [
    "another port of it",
    (port) => ({ host: `localhost:${port}`, origin: `http://localhost:${port + 1}` }),
    false,
  ],
  ["a null origin", (port) => ({ host: `localhost:${port}`, origin: "null" }), false],
  [
    "a foreign origin",
    (port) => ({ host: `localhost:${port}`, origin: "https://evil.example" }),
    false,
  ],
  [
    "a listed origin",
    (port) => ({ host: `localhost:${port}`, origin: APP, "sec-fetch-site": "cross-site" }),
    true,
  ],
  [
    "a listed origin in another case",
    (port) => ({ host: `localhost:${port}`, origin: APP.toUpperCase() }),
    false,
  ],
  [
    "a longer one than listed",
    (port) => ({ host: `localhost:${port}`, origin: `${APP}.evil.example` }),
    false,
  ],
  [
    "cross-site without origin",
    (port) => ({ host: `localhost:${port}`, "sec-fetch-site": "cross-site" }),
    false,
  ],
  [
    "same-origin by fetch metadata",
    (port) => ({ host: `localhost:${port}`, "sec-fetch-site": "same-origin" }),
    true,
  ],
];

it.each(COMBINATIONS)("lets in, or not: %s", async (_, headersFor, isWelcome) => {
  const { server } = await served([echoAgent()], { origins: [APP] });
  const headers: Record<string, string> = { ...headersFor(server.port), ...JSON_BODY };
  const body = JSON.stringify(turn("hi"));
  const { status, headers: told } = await rawRequest(server.port, "/agents/echo", {
    method: "POST",
    headers,
    body,
  });
  expect(status === 200).toBe(isWelcome);
  expect([200, 400, 403]).toContain(status);
  const allowed = told["access-control-allow-origin"];
  expect(allowed).toBe(headers["origin"] === APP ? APP : undefined);
});

it("listens at the loopback address only and by its names only, also where that is IPv6", async () => {
  const { url, server } = await served([echoAgent()], { hostname: "::1" }).catch(() =>
    served([echoAgent()]),
  );
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(url).toMatch(/^http:\/\/(?:\[::1\]|127\.0\.0\.1):\d+$/);
  expect(server.port).toBeGreaterThan(0);
});

it("has no CORS unless origins are listed", async () => {
  const { server } = await served([echoAgent()]);
  for (const method of ["GET", "OPTIONS"]) {
    const headers = { origin: APP, "access-control-request-method": "POST" };
    const answer = await rawRequest(server.port, "/agents/echo", { method, headers });
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual(
      [],
    );
  }
});

it.each(["GET", "OPTIONS"])("names the refused origin and the option to %s", async (method) => {
  const { server } = await served([echoAgent()]);
  const origin = "http://localhost:5173";
  const { status, body } = await rawRequest(server.port, "/agents/echo", {
    method,
    headers: { origin },
  });
  expect(status).toBe(403);
  expect(body.message).toBe(
    `Origin "${origin}" may not call this server. Add it to 'origins', or start with: turnkeep serve --origin ${origin}`,
  );
  const host = "agents.example";
  const unknown = await rawRequest(server.port, "/agents/echo", { headers: { host } });
  expect(unknown.body.message).toBe(
    `Host "${host}" is no name of this server. Add it to 'hosts' if it is one.`,
  );
});

it("answers the browser's question for listed origins, also where the answer is an error", async () => {
  const { server } = await served([echoAgent()], { origins: [APP], auth: () => undefined });
  const headers = { origin: APP, "access-control-request-method": "POST" };
  const asked = await rawRequest(server.port, "/agents/echo", { method: "OPTIONS", headers });
  expect(asked.status).toBe(204);
  expect(asked.headers).toMatchObject({
    vary: "origin",
    "access-control-allow-origin": APP,
    "access-control-allow-methods": "GET, POST, PATCH, DELETE",
  });
  expect(asked.headers["access-control-allow-headers"]).toContain("idempotency-key");
  expect(asked.headers["access-control-allow-credentials"]).toBeUndefined();
  const refused = await rawRequest(server.port, "/agents/echo", { headers: { origin: APP } });
  expect([refused.status, refused.headers["access-control-allow-origin"]]).toEqual([401, APP]);
  const other = await rawRequest(server.port, "/agents", { headers: {} });
  expect(other.headers["vary"]).toBe("origin");
});

it.each(["*", "null", "app.example", "https://app.example/", "https://*.example", ""])(
  "cannot be told to let in '%s'",
  (origin) => {
    expect(() => createHandler([echoAgent()], { auth: "public", origins: [origin] })).toThrow(
      /no origin/,
    );
  },
);

it("takes no form, and changes nothing by GET", async () => {
  const agent = echoAgent();
  const handler = createHandler([agent], { auth: "public" });
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "",
    "application/jsonp",
  ]) {
    const ask = { body: JSON.stringify(turn("hi")), headers: { "content-type": type } };
    expect((await askHandler(handler, "/agents/echo", ask)).status, type).toBe(415);
  }
  const ok = {
    body: JSON.stringify(turn("hi")),
    headers: { "content-type": "Application/JSON; charset=utf-8" },
  };
  expect((await askHandler(handler, "/agents/echo", ok)).status).toBe(200);
});
