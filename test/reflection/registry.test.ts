import { AgentRegistry } from "turnkeep";
import { createReflection } from "turnkeep/reflection";
import { MemoryStore } from "turnkeep/stores/memory";
import { studio } from "turnkeep/studio";
import { describe, expect, test } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { answerOf } from "../http/serving.ts";
import { reflecting, turn } from "./reflecting.ts";

describe("the reflection API of a registry", () => {
  test("shows agents that are registered later, wherever it shows agents", async () => {
    const registry = new AgentRegistry();
    const { ask } = reflecting(registry);
    expect((await ask("agents")).body).toEqual({ agents: {} });
    expect((await ask("studio/info")).body.capabilities.sessions).toBe(false);
    registry.register(echoAgent({ store: new MemoryStore() }));
    expect(Object.keys((await ask("agents")).body.agents)).toEqual(["echo"]);
    expect((await ask("studio/info")).body.capabilities.sessions).toBe(true);
    expect(Object.keys((await ask("actions")).body)).toContain("/agent/echo");
    const told = await ask("agents/echo/execute", {
      body: turn("hi", { init: { sessionId: "s" } }),
    });
    expect(told.body.result).toMatchObject({ sessionId: "s", finishReason: "stop" });
    const action = { key: "/agent/echo", input: { message: { role: "user", content: [] } } };
    expect((await ask("runAction", { body: action })).status).toBe(200);
    expect((await ask("sessions")).body.sessions).toContainEqual(
      expect.objectContaining({ agentName: "echo", sessionId: "s" }),
    );
    expect((await ask("studio/find?id=s")).body.found).toMatchObject([{ agentName: "echo" }]);
  });

  test("is the Studio's, too", async () => {
    const registry = new AgentRegistry();
    const page = studio(registry, { environment: "test" });
    registry.register(echoAgent());
    const response = await page(
      new Request("http://localhost/studio/api/agents", {
        headers: { authorization: `Bearer ${page.token}` },
      }),
    );
    expect(Object.keys((await answerOf(response)).body.agents)).toEqual(["echo"]);
  });

  test("refuses options that it does not know", () => {
    const options = { environment: "test", trace: true } as never;
    expect(() => createReflection([], options)).toThrow(
      "Unknown option `trace`. Did you mean `traces`?",
    );
  });

  test("refuses what is neither a list nor a registry", () => {
    expect(() => createReflection(echoAgent() as never, { environment: "test" })).toThrow(
      "as a list, such as [support], or as an AgentRegistry",
    );
  });
});
