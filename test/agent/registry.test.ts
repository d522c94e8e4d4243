import { AgentRegistry, buildCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { echoAgent } from "./agents.ts";

describe("a registry", () => {
  it("finds agents by name and lists them", () => {
    const registry = new AgentRegistry();
    const agent = echoAgent();
    registry.register(agent);
    registry.register(agent);
    expect(registry.get("echo")).toBe(agent);
    expect(registry.list()).toEqual([agent]);
    expect([...registry]).toEqual([agent]);
  });

  it("refuses another agent of the same name, and finds none where there is none", () => {
    const registry = new AgentRegistry();
    registry.register(echoAgent());
    expect(() => registry.register(echoAgent())).toThrow(
      expect.objectContaining({ status: "ALREADY_EXISTS" }),
    );
    expect(registry.get("nobody")).toBeUndefined();
    expect(registry.get("__proto__")).toBeUndefined();
  });
});

describe("an agent that is only built", () => {
  it("looks for no work by itself, and can be talked to and registered later", async () => {
    let scans = 0;
    const memory = new MemoryStore();
    const store = new Proxy(memory, {
      get: (target, name) => {
        if (name === "due") scans += 1;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const agent = buildCustomAgent({ name: "built", store }, async ({ session }) => {
      await session.run(() => session.addMessages({ role: "model", content: [{ text: "hi" }] }));
    });
    expect(await agent.runText("hello", { sessionId: "s" })).toMatchObject({ sessionId: "s" });
    expect(scans).toBe(0);
    const registry = new AgentRegistry();
    registry.register(agent);
    expect(registry.get("built")?.name).toBe("built");
  });
});
