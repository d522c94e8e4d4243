import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { echoAgent, user } from "../agent/agents.ts";
import { agentOf } from "../agent/authoring/turns.ts";
import type { Ask } from "../http/serving.ts";
import { reflecting } from "./reflecting.ts";
import { tracing } from "./tracing.ts";

describe("as Genkit's tools ask", () => {
  test("agents are actions, with those that read and abort them", async () => {
    const agents = [
      echoAgent({ store: new MemoryStore(), description: "Echoes." }),
      echoAgent({ name: "carried" }),
    ];
    const { ask } = reflecting(agents);
    const { body } = await ask("actions");
    expect(Object.keys(body).toSorted()).toEqual([
      "/agent-abort/echo",
      "/agent-snapshot/echo",
      "/agent/carried",
      "/agent/echo",
      "/snapshot-store/echo/getSnapshot",
      "/snapshot-store/echo/listSnapshots",
    ]);
    expect(body["/agent/echo"]).toMatchObject({
      key: "/agent/echo",
      name: "echo",
      description: "Echoes.",
      inputSchema: { type: "object" },
      outputSchema: { type: "object" },
      metadata: { agent: { stateManagement: "server", abortable: true } },
    });
    expect(body["/snapshot-store/echo/getSnapshot"].name).toBe("echo/getSnapshot");
    const { status, text } = await ask("__health");
    expect([status, text]).toEqual([200, "OK"]);
  });

  test("an action answers at once, or line by line", async () => {
    const { ask } = reflecting([echoAgent({ store: new MemoryStore() })]);
    const run = (more = "", init = {}) =>
      ask(`runAction${more}`, { body: { key: "/agent/echo", input: user("hi"), init } });
    const { body } = await run();
    expect(body.result).toMatchObject({ finishReason: "stop", message: { role: "model" } });
    const streamed = await run("?stream=true", { sessionId: "s" });
    expect(streamed.headers.get("content-type")).toBe("text/plain");
    const lines = streamed.text.split("\n").map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { modelChunk: { content: [{ text: "HI" }] } },
      { turnEnd: { finishReason: "stop" } },
      { result: { sessionId: "s" }, telemetry: { traceId: expect.any(String) } },
    ]);
  });

  test("snapshots are read and listed", async () => {
    const agent = echoAgent({ store: new MemoryStore() });
    const { snapshotId } = await agent.runText("hi", { sessionId: "s" });
    const { ask } = reflecting([agent]);
    const run = (key: string, input: object) => ask("runAction", { body: { key, input } });
    for (const key of ["/snapshot-store/echo/getSnapshot", "/agent-snapshot/echo"]) {
      for (const input of [{ snapshotId }, { sessionId: "s" }]) {
        expect((await run(key, input)).body.result.snapshotId).toBe(snapshotId);
      }
    }
    const { body } = await run("/snapshot-store/echo/listSnapshots", { sessionId: "s" });
    expect(body.result).toMatchObject([{ snapshotId }]);
    const aborted = await run("/agent-abort/echo", { snapshotId });
    expect(aborted.body.result).toEqual({ snapshotId, status: "completed" });
    for (const key of [
      "/agent/none",
      "/flow/x",
      "",
      "/snapshot-store/echo/drop",
      "/snapshot-store/echo",
    ]) {
      expect((await run(key, {})).status, key).toBe(404);
    }
    expect((await run("/agent-snapshot/echo", {})).status).toBe(400);
  });

  test("an action that runs is cancelled by its trace", async () => {
    tracing();
    const agent = agentOf({ store: new MemoryStore() }, async (_tools, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const { ask, open } = reflecting([agent]);
    const response = await open("runAction", { body: { key: "/agent/actor", input: user("hi") } });
    const traceId = response.headers.get("x-genkit-trace-id");
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect((await ask("cancelAction", { body: { traceId } })).body).toEqual({
      message: "Action cancelled",
    });
    expect(await response.json()).toMatchObject({ result: { finishReason: "aborted" } });
    expect((await ask("cancelAction", { body: { traceId } })).status).toBe(404);
    expect((await ask("cancelAction", { body: {} })).status).toBe(400);
  });

  test("an action that runs is not cancelled by an operator of another tenant", async () => {
    const agent = agentOf({ store: new MemoryStore() }, async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const { ask, open } = reflecting([agent], {
      traces: false,
      authorize: ({ headers }) => {
        const tenant = headers.get("x-tenant");
        return tenant === null ? { name: "owner" } : { name: tenant, tenant };
      },
    });
    const as = (tenant: string, body: object): Ask => ({ body, headers: { "x-tenant": tenant } });
    const run = { key: "/agent/actor", input: user("hi") };
    const cancel = async (tenant: string, traceId: string | null) =>
      (await ask("cancelAction", as(tenant, { traceId }))).status;
    const theirs = await open("runAction", as("acme", run));
    const traceId = theirs.headers.get("x-genkit-trace-id");
    expect(await cancel("other", traceId)).toBe(404);
    // Who may see every tenant says which.
    expect((await ask("cancelAction", { body: { traceId } })).status).toBe(404);
    expect(await cancel("acme", traceId)).toBe(200);
    expect(await theirs.json()).toMatchObject({ result: { finishReason: "aborted" } });
    // The agents' own tenant is the same with and without its name.
    const own = await open("runAction", { body: run });
    expect(await cancel(agent.tenant, own.headers.get("x-genkit-trace-id"))).toBe(200);
    await own.text();
    const asked = await open("runAction?tenant=acme", { body: run });
    const named = { body: { traceId: asked.headers.get("x-genkit-trace-id") } };
    expect((await ask("cancelAction?tenant=acme", named)).status).toBe(200);
    await asked.text();
  });
});
