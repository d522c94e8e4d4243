import { AgentRegistry } from "turnkeep";
import { createHandler } from "turnkeep/http";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, it, vi } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { askHandler, served, turn, WIDE } from "./serving.ts";

it("serves the agents of a registry, those that are registered later too", async () => {
  const registry = new AgentRegistry();
  registry.register(echoAgent());
  const handler = createHandler(registry, { auth: "public", limits: WIDE });
  expect((await askHandler(handler, "/agents/echo", { body: turn("hi") })).status).toBe(200);
  const late = { body: turn("hi", { sessionId: "s" }) };
  expect((await askHandler(handler, "/agents/late", late)).status).toBe(404);
  registry.register(echoAgent({ name: "late", store: new MemoryStore() }));
  expect((await askHandler(handler, "/agents/late", late)).body.result).toMatchObject({
    finishReason: "stop",
    sessionId: "s",
  });
  const { body } = await askHandler(handler, "/agents");
  expect(body.agents.map(({ name }: { name: string }) => name)).toEqual(["echo", "late"]);
});

it("serves whatever finds agents by name and lists them", async () => {
  const agent = echoAgent();
  const source = { get: (name: string) => (name === "echo" ? agent : undefined), list: () => [] };
  const handler = createHandler(source, { auth: "public" });
  expect((await askHandler(handler, "/agents/echo", { body: turn("hi") })).status).toBe(200);
  expect((await askHandler(handler, "/agents")).body.agents).toEqual([]);
});

it("closes the agents that a registry has when its server closes", async () => {
  const registry = new AgentRegistry();
  const { server, ask } = await served(registry);
  const agent = echoAgent({ store: new MemoryStore() });
  const close = vi.spyOn(agent, "close");
  registry.register(agent);
  expect((await ask("/agents/echo", { body: turn("hi") })).status).toBe(200);
  await server.close({ handOverMs: 7 });
  expect(close).toHaveBeenCalledWith({ handOverMs: 7 });
});

it.each([
  ["one agent", echoAgent(), "as a list, such as [support], or as an AgentRegistry"],
  ["nothing", undefined, "as a list, such as [support], or as an AgentRegistry"],
  ["a list with a gap", [echoAgent(), undefined], "agents[1] is no agent"],
  ["two agents of one name", [echoAgent(), echoAgent()], "Two agents are named 'echo'"],
])("refuses %s", (_, agents, message) => {
  expect(() => createHandler(agents as never, { auth: "public" })).toThrow(message);
});
