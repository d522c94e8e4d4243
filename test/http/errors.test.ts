import { TurnkeepError } from "turnkeep";
import { type Access, createHandler } from "turnkeep/http";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { ROUTES } from "../../src/http/routes.ts";
import { echoAgent } from "../agent/agents.ts";
import { agentOf } from "../agent/authoring/turns.ts";
import { STREAMED, askHandler, byToken, run, served, turn } from "./serving.ts";
import { ROUTE_CASES } from "./tenants/route-cases.ts";

const CANARY = "canary-4711";

/** A store that fails in a way of the test's choosing, once it is told to. */
class FailingStore extends MemoryStore {
  failure: Error | undefined;

  override async load(...args: Parameters<MemoryStore["load"]>): ReturnType<MemoryStore["load"]> {
    if (this.failure) throw this.failure;
    return await super.load(...args);
  }

  override async list(...args: Parameters<MemoryStore["list"]>): ReturnType<MemoryStore["list"]> {
    if (this.failure) throw this.failure;
    return await super.list(...args);
  }

  override async range(
    ...args: Parameters<MemoryStore["range"]>
  ): ReturnType<MemoryStore["range"]> {
    if (this.failure) throw this.failure;
    return await super.range(...args);
  }
}

const FAILURES: readonly (readonly [string, Error, number])[] = [
  ["a bug", new Error(CANARY), 500],
  ["a text", CANARY as unknown as Error, 500],
  ["damage", new TurnkeepError("DATA_LOSS", CANARY, { details: { at: CANARY } }), 500],
  [
    "a store that is away",
    new TurnkeepError("UNAVAILABLE", CANARY, { retryable: true, details: { at: CANARY } }),
    503,
  ],
  [
    "a store that was closed",
    new TurnkeepError("FAILED_PRECONDITION", CANARY, { reason: "STORE_CLOSED" }),
    503,
  ],
  ["a full disk", new TurnkeepError("UNAVAILABLE", CANARY, { reason: "STORAGE_FULL" }), 507],
];

describe.each(FAILURES)("%s", (_, failure, code) => {
  it("is kept from clients on every route that meets it", async () => {
    const store = new FailingStore();
    const before = echoAgent({ store });
    const { snapshotId: earlier = "" } = await before.runText("a", {
      sessionId: "s",
      tenant: "acme/ann",
    });
    const { runId, output } = before.streamText("b", { sessionId: "s", tenant: "acme/ann" });
    const { snapshotId: snapshot = "" } = await output;
    // It asks a store that is away again for as long as a lease, and no longer.
    const agent = echoAgent({ store, limits: { leaseMs: 50 } });
    const { ask, errors } = await served([agent], { auth: byToken });
    store.failure = failure;
    const ids = { session: "s", snapshot, earlier, run: runId };
    let met = 0;
    for (const { method, path } of ROUTES) {
      for (const make of ROUTE_CASES[`${method} ${path}`] ?? []) {
        const [at, asked = {}] = make(ids);
        const { status, text, headers } = await ask(at, {
          ...asked,
          as: "acme/ann/operator",
        });
        expect(text, `${method} ${path}`).not.toContain(CANARY);
        if (status === code) met += 1;
        else expect([200, 400, 404], `${method} ${path}: ${text}`).toContain(status);
        if (status === 503) expect(headers.get("retry-after")).toBe("1");
      }
    }
    store.failure = undefined;
    expect(met).toBeGreaterThan(15);
    expect(errors.length).toBeGreaterThanOrEqual(met);
    expect(errors.some(({ error }) => error === failure)).toBe(true);
  });
});

it.each([
  ["turn", turn("x")],
  ["run", run("x")],
] as const)("keeps what an agent threw from clients, wherever a %s is read", async (kind, body) => {
  const agent = agentOf({ store: new MemoryStore() }, ({ session, respond }) => {
    respond.text("so far");
    session.setCustom({ fine: true });
    throw new Error(CANARY);
  });
  const { ask, errors } = await served([agent]);
  const at = kind === "turn" ? "/agents/actor" : "/agents/actor/runs";
  const streamed = await ask(at, { body, headers: STREAMED });
  const texts = [streamed.text];
  expect(streamed.text).toContain("Something went wrong on the server.");
  expect(String(errors[0]?.error)).toContain(CANARY);
  expect(errors[0]?.requestId).toBe(streamed.headers.get("x-request-id"));
  const [session] = (await agent.listSessions()).sessions;
  const [failed] = await agent.listSnapshots(session!.sessionId);
  const { snapshotId } = failed!;
  for (const path of [
    `sessions/${session!.sessionId}/snapshots`,
    `snapshots/${snapshotId}`,
    `snapshots/${snapshotId}/output`,
  ]) {
    texts.push((await ask(`/agents/actor/${path}`)).text);
  }
  for (const data of [{ snapshotId }, { sessionId: session!.sessionId }]) {
    texts.push((await ask("/agents/actor/getSnapshot", { body: { data } })).text);
  }
  for (const text of texts) expect(text).not.toContain(CANARY);
});

it("keeps a provider's words from clients, and tells its status", async () => {
  const error = Object.assign(new Error(CANARY), { status: "RESOURCE_EXHAUSTED" });
  const agent = agentOf({ store: new MemoryStore() }, () => {
    throw error;
  });
  const { ask, errors } = await served([agent]);
  const { text } = await ask("/agents/actor", { body: turn("x") });
  expect(text).toContain('"status":"RESOURCE_EXHAUSTED"');
  expect(text).not.toContain(CANARY);
  expect(String(errors[0]?.error)).toContain(CANARY);
});

it("keeps what a transform threw from clients, in answers and in mid-stream", async () => {
  const store = new MemoryStore();
  let isBroken = false;
  const fail = <Value>(value: Value): Value => {
    if (isBroken) throw new Error(CANARY);
    return value;
  };
  const agent = echoAgent({ store, transformState: fail, transformStream: fail });
  await agent.runText("a", { sessionId: "s" });
  const { ask, errors } = await served([agent]);
  isBroken = true;
  for (const asked of [
    ask("/agents/echo/sessions/s"),
    ask("/agents/echo", { body: turn("b", { sessionId: "s" }) }),
    ask("/agents/echo/getSnapshot", { body: { data: { sessionId: "s" } } }),
  ]) {
    const { status, body, text } = await asked;
    expect([status, body.details]).toEqual([500, { reason: "REDACTION_FAILED" }]);
    expect(text).not.toContain(CANARY);
    expect(errors.find(({ requestId }) => requestId === body.requestId)?.error).toMatchObject({
      cause: { message: CANARY },
    });
  }
  for (const [at, body] of [
    ["/agents/echo", turn("c")],
    ["/agents/echo/runs", run("c")],
  ] as const) {
    const { status, text, headers } = await ask(at, { body, headers: STREAMED });
    expect(status).toBe(200);
    expect(text).toContain('"status":"INTERNAL"');
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain('"result"');
    const requestId = headers.get("x-request-id");
    expect(text).toContain(`"requestId":"${requestId}"`);
    expect(errors.some((one) => one.requestId === requestId)).toBe(true);
  }
});

it("tells what our own errors say, under one id", async () => {
  const agent = agentOf({}, () => {
    throw new TurnkeepError("FAILED_PRECONDITION", "The order was shipped.", {
      details: { order: 7 },
    });
  });
  const { ask, errors } = await served([agent]);
  const { body } = await ask("/agents/actor", { body: turn("x") });
  expect(body.result.error).toMatchObject({
    status: "FAILED_PRECONDITION",
    message: "The order was shipped.",
  });
  expect(errors).toEqual([]);
});

it("logs each access: what was asked, by whom, and how it was answered", async () => {
  const entries: Access[] = [];
  const { ask } = await served([echoAgent()], {
    auth: byToken,
    onAccess: (entry) => entries.push(entry),
  });
  const { headers } = await ask("/agents/echo?stream=false", { body: turn("hi"), as: "acme/ann" });
  await ask("/agents/nobody", { as: "acme" });
  await ask("/agents");
  await ask("/health");
  expect(
    entries.map(({ method, path, status, tenant, principal }) => [
      method,
      path,
      status,
      tenant,
      principal,
    ]),
  ).toEqual([
    ["POST", "/agents/echo", 200, "acme/ann", "ann"],
    ["GET", "/agents/nobody", 404, "acme", undefined],
    ["GET", "/agents", 401, undefined, undefined],
    ["GET", "/health", 200, undefined, undefined],
  ]);
  expect(entries[0]?.requestId).toBe(headers.get("x-request-id"));
  expect(entries[0]?.milliseconds).toBeGreaterThanOrEqual(0);
  expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(4);
});

it("goes on when the application's own hooks fail", async () => {
  const handler = createHandler([echoAgent()], {
    auth: () => {
      throw new Error("no");
    },
    onAccess: () => {
      throw new Error("full disk");
    },
    onError: (): unknown => Promise.reject(new Error("no network")),
  });
  expect((await askHandler(handler, "/agents/echo")).status).toBe(500);
});

it("says whether it lives and whether it is ready", async () => {
  let isReady = true;
  const { ask } = await served([echoAgent()], {
    auth: () => undefined,
    isReady: async () => isReady,
  });
  for (const method of ["GET", "HEAD"]) {
    expect((await ask("/health", { method })).status).toBe(200);
    expect((await ask("/ready", { method })).status).toBe(200);
  }
  isReady = false;
  expect(await ask("/ready")).toMatchObject({ status: 503, body: { ready: false } });
  expect((await ask("/health")).body).toEqual({ ok: true });
  expect((await ask("/health", { method: "POST" })).status).toBe(401);
});
