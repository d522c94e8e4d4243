import type { LocalAgent } from "turnkeep";
import { createReflection, TraceStore } from "turnkeep/reflection";
import { serve } from "turnkeep/node";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROUTES } from "../../src/reflection/routes.ts";
import { echoAgent, user } from "../agent/agents.ts";
import { collect } from "../agent/authoring/turns.ts";
import { slowAgent } from "../agent/life/slow-agent.ts";
import { gateOf } from "../agent/life/waiting.ts";
import { rawRequest } from "../http/raw-request.ts";
import { type Ask, answerOf, requestInit } from "../http/serving.ts";
import { reflecting, type Reflected, turn } from "./reflecting.ts";
import { type Ids, ROUTE_CASES } from "./route-cases.ts";

const NAMES = ROUTES.map(({ method, path }) => `${method} ${path}`);

interface Stage extends Reflected {
  readonly agent: LocalAgent;
  readonly ids: Ids;
  /** All that is kept, as it stands. */
  readonly kept: () => Promise<string>;
}

async function stage(options: Parameters<typeof reflecting>[1] = {}): Promise<Stage> {
  const agent = echoAgent({ store: new MemoryStore() });
  const { runId, output } = agent.streamText("canary", { sessionId: "s" });
  const { snapshotId: snapshot = "" } = await output;
  const reflected = reflecting([agent], { traces: new TraceStore(), ...options });
  return {
    ...reflected,
    agent,
    ids: { session: "s", snapshot, run: runId, trace: "t", span: "p" },
    kept: async () => {
      const { sessions } = await agent.listSessions();
      const files = sessions.map(({ sessionId }) => collect(agent.exportSession(sessionId)));
      return JSON.stringify([await Promise.all(files), sessions]);
    },
  };
}

test("there is a case for every route", () => {
  expect(Object.keys(ROUTE_CASES).toSorted()).toEqual(NAMES.toSorted());
});

describe("every route", () => {
  const REFUSALS: Readonly<Record<string, { readonly change: Ask; readonly code: number }>> = {
    "a name of somebody else's that leads here": {
      change: { headers: { host: "evil.example" } },
      code: 403,
    },
    "a name that only begins like ours": {
      change: { headers: { host: "localhost.evil.example:80" } },
      code: 403,
    },
    "a page of another origin": {
      change: { headers: { origin: "https://evil.example" } },
      code: 403,
    },
    "a page of another port of this machine": {
      change: { headers: { origin: "http://localhost:3000" } },
      code: 403,
    },
    "a page without an origin of its own": { change: { headers: { origin: "null" } }, code: 403 },
    "a page of another site that embeds it": {
      change: { headers: { "sec-fetch-site": "cross-site" } },
      code: 403,
    },
    "a page of a sister site": {
      change: { headers: { "sec-fetch-site": "same-site" } },
      code: 403,
    },
    "no token": { change: { headers: { authorization: "" } }, code: 401 },
    "a wrong token": {
      change: { headers: { authorization: `Bearer ${"0".repeat(64)}` } },
      code: 401,
    },
  };

  test.each(Object.entries(REFUSALS))("refuses %s", async (_, { change, code }) => {
    const { ask, ids, kept } = await stage();
    const before = await kept();
    for (const name of NAMES) {
      const [path, asked = {}] = ROUTE_CASES[name]!(ids);
      const headers = { ...asked.headers, ...change.headers };
      const { status, text, headers: answered } = await ask(path, { ...asked, headers });
      expect(status, `${name}: ${text}`).toBe(code);
      expect(text).not.toMatch(/canary/i);
      expect([...answered.keys()].filter((header) => header.startsWith("access-control"))).toEqual(
        [],
      );
    }
    expect(await kept()).toBe(before);
  });

  test("that takes a body refuses one that a page could send without asking", async () => {
    const { ask, ids, kept } = await stage();
    const before = await kept();
    const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""];
    const writing = NAMES.filter((name) => /^(POST|PATCH) /.test(name));
    for (const name of writing) {
      for (const type of types) {
        const [path, asked = {}] = ROUTE_CASES[name]!(ids);
        const { status } = await ask(path, { ...asked, headers: { "content-type": type } });
        expect(status, `${name} as ${type}`).toBe(415);
      }
    }
    expect(writing.length).toBeGreaterThan(8);
    expect(await kept()).toBe(before);
  });

  test("that is read changes nothing", async () => {
    const { open, ids, kept } = await stage();
    const before = await kept();
    for (const name of NAMES.filter((one) => one.startsWith("GET "))) {
      const [path, asked] = ROUTE_CASES[name]!(ids);
      const response = await open(path, asked);
      expect(response.status, name).not.toBe(500);
      await response.body?.cancel();
    }
    expect(await kept()).toBe(before);
  });

  test("that would change something is not to be had by GET", async () => {
    const { ask, ids, kept } = await stage();
    const before = await kept();
    for (const name of NAMES.filter((one) => !one.startsWith("GET "))) {
      const [path] = ROUTE_CASES[name]!(ids);
      const isRead = NAMES.includes(`GET ${name.split(" ")[1]}`);
      const { status } = await ask(path);
      // A session is read where it is deleted, and an agent named like the rest of the path is not there.
      expect(status, name).toSatisfy((code: number) => code === 405 || code === 404 || isRead);
    }
    expect(await kept()).toBe(before);
  });

  test("that would change something is refused where all is read-only", async () => {
    const { ask, ids, kept } = await stage({ readOnly: true });
    const before = await kept();
    for (const name of NAMES.filter((one) => !one.startsWith("GET "))) {
      if (name === "POST studio/session") continue;
      const { status } = await ask(...ROUTE_CASES[name]!(ids));
      expect(status, name).toBe(403);
    }
    expect((await ask("studio/info")).body).toMatchObject({ readOnly: true });
    expect(await kept()).toBe(before);
  });

  test("answers with what it has, and never with an error of its own", async () => {
    const { open, ids, errors } = await stage();
    const order = NAMES.toSorted((one) => (one.startsWith("DELETE") ? 1 : -1));
    for (const name of order) {
      const response = await open(...ROUTE_CASES[name]!(ids));
      expect(response.status, name).toBeLessThan(500);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-z]{26}$/);
      await response.body?.cancel();
    }
    expect(errors).toEqual([]);
  });

  test("answers an agent without a store by 400 or 501, and says why", async () => {
    const agent = echoAgent();
    const { ask } = reflecting([agent], { traces: false });
    const ids = { session: "s", snapshot: "s.1", run: "s.1", trace: "t", span: "p" };
    for (const name of NAMES.filter((one) => /:(session|snapshot)|sessions|diff/.test(one))) {
      if (name === "GET sessions") continue;
      const { status, body } = await ask(...ROUTE_CASES[name]!(ids));
      expect(status, name).toBe(400);
      expect(body.error.message).toContain("has no store");
    }
    for (const name of NAMES.filter((one) => one.startsWith("GET traces"))) {
      const { status, body } = await ask(...ROUTE_CASES[name]!(ids));
      expect(status, name).toBe(501);
      expect(body.error.message).toContain("TraceStore");
    }
  });
});

describe("the token", () => {
  test("is 256 random bits, another at each start", () => {
    const tokens = [1, 2].map(() => createReflection([], { environment: "test" }).token);
    expect(tokens[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(tokens[0]).not.toBe(tokens[1]);
  });

  test("is exchanged for a cookie that no script can read", async () => {
    const { reflection } = reflecting([], { path: "/studio" });
    const url = "http://localhost:4400/studio/api/studio/session";
    const ask = async (given: Ask, at = url) =>
      await answerOf(await reflection(new Request(at, requestInit(given))));
    const { status, headers } = await ask({ body: { token: reflection.token } });
    expect(status).toBe(204);
    const cookie = headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(
      /^turnkeep-studio-4400=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=\/studio$/,
    );
    const info = "http://localhost:4400/studio/api/studio/info";
    const sent = { cookie: `other=1; ${cookie.split(";")[0]}` };
    expect((await ask({ headers: sent }, info)).status).toBe(200);
    // That of another port is another's.
    expect((await ask({ headers: sent }, info.replace("4400", "4401"))).status).toBe(401);
    expect((await ask({ body: { token: "x".repeat(64) } })).status).toBe(401);
  });

  test("is not taken from the query", async () => {
    const { reflection, ask } = reflecting([]);
    const { status } = await ask(`agents?token=${reflection.token}`, {
      headers: { authorization: "" },
    });
    expect(status).toBe(401);
  });

  test("of one's own must be long, and fit into the body that it is sent in", async () => {
    for (const token of ["secret", "x".repeat(31), "x".repeat(257)]) {
      expect(() => createReflection([], { environment: "test", token })).toThrow(/32 to 256/);
    }
    const token = '"'.repeat(256);
    const { ask } = reflecting([], { token });
    expect((await ask("studio/session", { body: { token } })).status).toBe(204);
  });
});

describe("production", () => {
  const authorize = () => ({ name: "ann" });

  test("is refused unless it is allowed twice", async () => {
    const environment = "production";
    expect(() => createReflection([], { environment })).toThrow(/allowInProduction/);
    expect(() => createReflection([], { environment, allowInProduction: true })).toThrow(
      /authorize/,
    );
    expect(() => createReflection([], { environment, authorize })).toThrow(/allowInProduction/);
    const { ask } = reflecting([], { environment, allowInProduction: true, authorize });
    expect((await ask("agents", { headers: { authorization: "" } })).status).toBe(200);
  });

  test("lets in whom the application lets in, to what they may see", async () => {
    const store = new MemoryStore();
    const agent = echoAgent({ store });
    await agent.runText("one", { sessionId: "acme's", tenant: "acme" });
    await agent.runText("two", { sessionId: "other's", tenant: "other" });
    const { ask } = reflecting([agent], {
      authorize: ({ headers }) => {
        const who = headers.get("x-who");
        return who === null ? undefined : { name: who, tenant: "acme", readOnly: who === "guest" };
      },
    });
    const as = (who: string): Ask => ({ headers: { "x-who": who } });
    expect((await ask("sessions")).status).toBe(401);
    const { body } = await ask("sessions", as("ann"));
    expect(body.sessions.map(({ sessionId }: { sessionId: string }) => sessionId)).toEqual([
      "acme's",
    ]);
    expect((await ask("sessions?tenant=other", as("ann"))).status).toBe(403);
    const path = "agents/echo/sessions/acme's";
    expect((await ask(path, { method: "DELETE", ...as("guest") })).status).toBe(403);
    expect((await ask(path, { method: "DELETE", ...as("ann") })).status).toBe(200);
  });
});

test("paths that are not there tell nothing to those who are not let in", async () => {
  const { ask } = reflecting([]);
  for (const path of ["nothing", "agents/../secrets", "agents/%ff"]) {
    expect((await ask(path)).status).toBe(404);
    expect((await ask(path, { headers: { authorization: "" } })).status).toBe(401);
    expect((await ask(path, { headers: { host: "evil.example" } })).status).toBe(403);
  }
  expect((await ask("agents", { method: "OPTIONS" })).status).toBe(405);
  expect((await ask(`agents?q=${"x".repeat(9000)}`)).status).toBe(414);
});

test("every request is told to the log, with who asked", async () => {
  const seen: unknown[] = [];
  const { ask } = reflecting([], {
    authorize: ({ headers }) =>
      headers.has("x-who") ? { name: "ann", tenant: "acme" } : undefined,
    onAccess: (access) => {
      seen.push(access);
      const full = new Error("the log is full");
      if (seen.length > 1) throw full;
      // A log that is written to later fails later, which is nobody's trouble either.
      return Promise.reject(full) as never;
    },
  });
  await ask("agents", { headers: { "x-who": "ann" } });
  await ask("agents");
  expect(seen).toMatchObject([
    { method: "GET", path: "/api/agents", status: 200, principal: "ann", tenant: "acme" },
    { path: "/api/agents", status: 401 },
  ]);
  expect(seen[1]).not.toHaveProperty("principal");
});

test("whoever is bound to a tenant sees no traces, which are not kept apart", async () => {
  const { ask } = reflecting([echoAgent({ store: new MemoryStore() })], {
    traces: new TraceStore(),
    authorize: () => ({ tenant: "acme" }),
  });
  expect((await ask("traces")).status).toBe(403);
  expect((await ask("traces/t/stream")).status).toBe(403);
  expect((await ask("stats")).body).not.toHaveProperty("byModel");
  expect((await ask("studio/info")).body.capabilities.traces).toBe(false);
});

test("whoever has the token may look at any tenant", async () => {
  const agent = echoAgent({ store: new MemoryStore() });
  await agent.runText("one", { sessionId: "theirs", tenant: "acme/ann" });
  const { ask } = reflecting([agent]);
  expect((await ask("sessions")).body.sessions).toEqual([]);
  const { body } = await ask(`sessions?tenant=${encodeURIComponent("acme/ann")}`);
  expect(body.sessions).toHaveLength(1);
});

test("a request too many in a second is refused, those that read and those that write", async () => {
  const limits = {
    submissionsPerSecond: 0.001,
    submissionBurst: 2,
    readsPerSecond: 0.001,
    readBurst: 3,
  };
  const { ask } = reflecting([], { limits });
  const codes = async (times: number, ...asked: Parameters<typeof ask>): Promise<number[]> => {
    const all: number[] = [];
    for (let number = 0; number < times; number += 1) all.push((await ask(...asked)).status);
    return all;
  };
  const write = ["runAction", { body: { key: "none" } }] as const;
  expect(await codes(4, ...write)).toEqual([404, 404, 429, 429]);
  expect(await codes(5, "agents")).toEqual([200, 200, 200, 429, 429]);
});

describe("strangers", () => {
  const exchange = (token: string, more: object = {}): Ask => ({
    body: { token, ...more },
    headers: { authorization: "" },
  });

  test("use up nothing of what operators may ask for", async () => {
    const { ask } = reflecting([], {
      limits: {
        submissionsPerSecond: 0.001,
        submissionBurst: 5,
        readsPerSecond: 0.001,
        readBurst: 5,
      },
    });
    const codes: number[] = [];
    for (let time = 0; time < 100; time += 1) {
      codes.push((await ask("studio/session", exchange("wrong"))).status);
    }
    expect(new Set(codes)).toEqual(new Set([401, 429]));
    for (let time = 0; time < 5; time += 1) {
      expect((await ask("agents")).status).toBe(200);
      expect((await ask("runAction", { body: { key: "none" } })).status).toBe(404);
    }
  });

  test("send at most a kibibyte", async () => {
    const { ask, reflection } = reflecting([]);
    const { token } = reflection;
    const padded = async (length: number) =>
      (await ask("studio/session", exchange(token, { padding: "x".repeat(length) }))).status;
    expect(await padded(800)).toBe(204);
    expect(await padded(1024)).toBe(413);
    expect(await padded(6_000_000)).toBe(413);
    const { status } = await ask("runAction", { body: { key: "x".repeat(2000) } });
    expect(status).toBe(404);
  });

  test("find no open route where the application has a sign-in of its own", async () => {
    const { ask, reflection } = reflecting([], {
      authorize: ({ headers }) => (headers.get("x-who") === "ann" ? { name: "ann" } : undefined),
    });
    const asked = exchange(reflection.token);
    expect((await ask("studio/session", asked)).status).toBe(401);
    const signedIn = { ...asked, headers: { "x-who": "ann" } };
    expect((await ask("studio/session", signedIn)).status).toBe(404);
  });
});

test("runs under way are limited for each operator", async () => {
  const gate = gateOf();
  const agent = slowAgent({ store: new MemoryStore() }, () => gate.promise);
  const { ask, open } = reflecting([agent], {
    limits: { concurrentRuns: 2 },
    authorize: ({ headers }) => ({ name: headers.get("x-who") ?? "" }),
  });
  const as = (who: string, body: object): Ask => ({ body, headers: { "x-who": who } });
  const action = { key: "/agent/slow", input: user("go") };
  const executed = turn("go", { stream: true });
  const running = [
    await open("runAction?stream=true", as("ann", action)),
    await open("agents/slow/execute", as("ann", executed)),
  ];
  for (const refused of [
    await ask("runAction?stream=true", as("ann", action)),
    await ask("agents/slow/execute", as("ann", executed)),
  ]) {
    expect([refused.status, refused.body.error.details.reason]).toEqual([429, "TOO_MANY_RUNS"]);
  }
  running.push(await open("runAction?stream=true", as("bob", action)));
  gate.open();
  for (const response of running) {
    expect(response.status).toBe(200);
    await response.text();
  }
});

test("it is mounted beside an agents' server, under hosts of its own", async () => {
  const agent = echoAgent({ store: new MemoryStore() });
  const reflection = createReflection([agent], { environment: "test", path: "/studio" });
  const server = await serve([agent], { auth: "public", beside: [reflection] });
  onTestFinished(() => server.close());
  const authorization = `Bearer ${reflection.token}`;
  const ask = (path: string, headers: Readonly<Record<string, string>>) =>
    rawRequest(server.port, path, { headers });
  expect((await ask("/studio/api/agents", { authorization })).body.agents.echo.name).toBe("echo");
  expect((await ask("/studio/api/agents", {})).status).toBe(401);
  expect((await ask("/studio/api/agents", { authorization, host: "evil.example" })).status).toBe(
    403,
  );
  expect((await ask("/studio", { authorization })).status).toBe(404);
  expect((await ask("/agents", {})).status).toBe(200);
  expect((await ask("/studious", {})).status).toBe(404);
});

test("a tenant that cannot be one is refused before a stream begins", async () => {
  const { ask } = reflecting([]);
  for (const tenant of ["", "%20", "a".repeat(2000)]) {
    const { status, body } = await ask(`events?tenant=${tenant}`);
    expect([status, body.error.status], tenant).toEqual([400, "INVALID_ARGUMENT"]);
  }
});
