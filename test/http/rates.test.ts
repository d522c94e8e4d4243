import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { ROUTES } from "../../src/http/routes.ts";
import { echoAgent, user } from "../agent/agents.ts";
import { slowAgent } from "../agent/life/slow-agent.ts";
import { gateOf } from "../agent/life/waiting.ts";
import { byToken, run, served, STREAMED, turn } from "./serving.ts";
import { ROUTE_CASES } from "./tenants/route-cases.ts";

const SLOW = { submissionsPerSecond: 0.001, readsPerSecond: 0.001 };
const TWICE = { ...SLOW, submissionBurst: 2, readBurst: 2 };
const IDS = { session: "s", snapshot: "s.1", earlier: "s.0", run: "s.1" };

describe("rates", () => {
  test.each(ROUTES)("count $method /$path", async ({ method, path }) => {
    const { ask } = await served([echoAgent({ store: new MemoryStore() })], {
      auth: ({ headers }) => ({ tenant: "acme", principal: headers.get("x-who") ?? "" }),
      limits: TWICE,
    });
    const [given] = ROUTE_CASES[`${method} ${path}`] ?? [];
    const [at, asked = {}] = given?.(IDS) ?? [`/agents/${path.replace(":agent", "echo")}`];
    const send = (who: string) =>
      ask(at.replace(/\/$/, ""), { ...asked, headers: { ...asked.headers, "x-who": who } });
    expect((await send("ann")).status).not.toBe(429);
    expect((await send("ann")).status).not.toBe(429);
    const { status, body, headers } = await send("ann");
    expect([status, body.details?.reason]).toEqual([429, "TOO_MANY_REQUESTS"]);
    expect(headers.get("retry-after")).toBe("1");
    expect((await send("bob")).status).not.toBe(429);
  });

  test("count a fork like an input, and write nothing for one too many", async () => {
    const agent = echoAgent({ store: new MemoryStore() });
    const { snapshotId = "" } = await agent.runText("hi", { sessionId: "s", tenant: "acme/ann" });
    const { ask } = await served([agent], {
      auth: byToken,
      limits: { submissionsPerSecond: 0.001, submissionBurst: 3 },
    });
    const send = (path: string, body: object) =>
      ask(`/agents/echo/${path}`, { as: "acme/ann", body });
    const fork = () => send(`snapshots/${snapshotId}/fork`, {});
    const answers = await Promise.all([fork(), fork(), fork(), fork(), fork()]);
    const codes = answers.map(({ status }) => status);
    expect(codes.toSorted((one, other) => one - other)).toEqual([201, 201, 201, 429, 429]);
    const label = { label: "good", snapshotId };
    expect((await send("sessions/s/labels", label)).status).toBe(429);
    expect((await send("runs", run("hi"))).status).toBe(429);
    const { sessions } = await agent.listSessions({ tenant: "acme/ann" });
    expect(sessions).toHaveLength(4);
  });

  test("let those read and abort who have sent too much", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: new MemoryStore() }, () => gate.promise);
    const { ask } = await served([agent], {
      auth: byToken,
      limits: { submissionsPerSecond: 0.001, submissionBurst: 1 },
    });
    const send = (path: string, body?: object) =>
      ask(`/agents/slow/${path}`, { as: "acme/ann", ...(body && { body }) });
    const { body } = await send("runs", run("hi"));
    expect((await send("runs", run("hi"))).status).toBe(429);
    expect((await send(`sessions/${body.sessionId}`)).status).toBe(200);
    const aborted = await send(`runs/${body.runId}/abort`, {});
    expect([aborted.status, aborted.body.status]).toEqual([200, "aborted"]);
    gate.open();
  });
});

describe("runs under way", () => {
  test("are so many of one principal, detached or not, and then wait", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: new MemoryStore() }, () => gate.promise);
    const { ask, open } = await served([agent], { auth: byToken, limits: { concurrentRuns: 3 } });
    const send = (as: string, body: object, path = "/runs") =>
      ask(`/agents/slow${path}`, { as, body });
    const detached = { input: { ...user("go"), detach: true } };
    expect((await send("acme/ann", detached)).status).toBe(202);
    expect((await send("acme/ann", run("go"))).status).toBe(202);
    const streamed = await open("/agents/slow", {
      as: "acme/ann",
      body: turn("go"),
      headers: STREAMED,
    });
    expect(streamed.status).toBe(200);
    const refused = [
      await send("acme/ann", detached),
      await send("acme/ann", run("go")),
      await send("acme/ann", turn("go"), ""),
    ];
    for (const { status, body } of refused) {
      expect([status, body.details.reason]).toEqual([429, "TOO_MANY_RUNS"]);
    }
    expect((await send("acme/bob", run("go"))).status).toBe(202);
    const list = await ask("/agents/slow/sessions", { as: "acme/ann" });
    expect(list.body.sessions).toHaveLength(3);
    gate.open();
    await streamed.text();
    await expect.poll(async () => (await send("acme/ann", run("again"))).status).toBe(202);
  });

  test("do not count what could not start, or was accepted before", async () => {
    const { ask } = await served([echoAgent({ store: new MemoryStore() })], {
      auth: byToken,
      limits: { concurrentRuns: 1 },
    });
    const send = (body: object) => ask("/agents/echo/runs", { as: "acme/ann", body });
    const wrong: readonly object[] = [
      run("hi", { onBusy: "sometimes" }),
      run("hi", { init: { snapshotId: "s.none" } }),
      run("hi", { init: { snapshotId: "none", sessionId: "other" } }),
      { input: { message: { role: "system", content: [] } } },
    ];
    for (let time = 0; time < 3; time += 1) {
      for (const body of wrong) {
        await expect.poll(async () => (await send(body)).status).not.toBe(429);
      }
    }
    const once = run("hi", { requestId: "r", init: { sessionId: "s" } });
    for (const code of [202, 200, 200]) {
      await expect.poll(async () => (await send(once)).status).toBe(code);
    }
  });
});
