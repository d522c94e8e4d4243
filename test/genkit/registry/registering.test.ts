import { defineCustomAgent as defineElsewhere, type LocalAgent } from "turnkeep";
import { agentsOf, defineAgent, defineCustomAgent, registerAgent } from "turnkeep/genkit";
import { createHandler } from "turnkeep/http";
import { createReflection } from "turnkeep/reflection";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { errorOf } from "../../agent/authoring/turns.ts";
import { scriptedGenkit } from "../scripted-model.ts";
import { registered, user } from "./registered.ts";
import { memory } from "./talker.ts";

function counter(name = "counter"): LocalAgent {
  return defineElsewhere({ name, description: "Counts.", store: memory() }, async ({ session }) => {
    await session.run(() => {
      session.addMessages({ role: "model", content: [{ text: "one" }] });
      return { finishReason: "stop" };
    });
  });
}

describe("registerAgent", () => {
  test("makes an agent of the package itself known to Genkit", async () => {
    const { ai } = scriptedGenkit();
    const agent = registerAgent(ai, counter());
    onTestFinished(() => agent.close());
    const action = await registered(ai, "/agent/counter");
    expect(action.__action).toMatchObject({ description: "Counts.", metadata: { bidi: true } });
    const { snapshotId } = await action(user("go"), { init: { sessionId: "s" } });
    const read = await registered(ai, "/agent-snapshot/counter");
    expect(await read({ snapshotId })).toEqual(await agent.getSnapshot(snapshotId!));
  });

  test("returns an agent that does all that the one given does", async () => {
    const { ai } = scriptedGenkit();
    const given = counter();
    const agent = registerAgent(ai, given);
    onTestFinished(() => agent.close());
    expect({ name: agent.name, about: agent.description, metadata: agent.metadata }).toEqual({
      name: "counter",
      about: "Counts.",
      metadata: given.metadata,
    });
    expect(agent.store).toBe(given.store);
    const output = await agent.runText("go", { sessionId: "s" });
    expect(await given.getSnapshot(output.snapshotId!)).toMatchObject({ status: "completed" });
    expect(await agent.listSnapshots("s")).toHaveLength(1);
    expect(await agent.streamText("go").output).toMatchObject({ finishReason: "stop" });
  });

  test("lets one agent be known to several Genkits", async () => {
    const [one, two] = [scriptedGenkit().ai, scriptedGenkit().ai];
    const given = counter();
    onTestFinished(() => given.close());
    for (const ai of [one, two]) {
      registerAgent(ai, given);
      expect(await (await registered(ai, "/agent/counter"))(user("go"))).toMatchObject({
        finishReason: "stop",
      });
    }
  });

  test("registers an agent once, however often it is called with it", async () => {
    const { ai } = scriptedGenkit();
    const agent = registerAgent(ai, counter());
    onTestFinished(() => agent.close());
    expect(registerAgent(ai, agent)).toBe(agent);
    expect(agentsOf(ai).list()).toEqual([agent]);
  });

  test("refuses a name that is taken or that Genkit cannot have", async () => {
    const { ai } = scriptedGenkit();
    const agents = [counter(), counter(), counter("a/b")] as const;
    onTestFinished(async () => void (await Promise.all(agents.map((agent) => agent.close()))));
    registerAgent(ai, agents[0]);
    expect(await errorOf(() => registerAgent(ai, agents[1]))).toMatchObject({
      status: "ALREADY_EXISTS",
    });
    expect(await errorOf(() => registerAgent(ai, agents[2]))).toMatchObject({
      status: "INVALID_ARGUMENT",
    });
  });
});

describe("agentsOf", () => {
  test("lists the agents of one Genkit, those of later too", async () => {
    const { ai } = scriptedGenkit();
    const agents = agentsOf(ai);
    expect(agents.list()).toEqual([]);
    const prompt = defineAgent(ai, { name: "prompt", system: "Hi." });
    const custom = defineCustomAgent(ai, { name: "custom" }, () => {});
    const elsewhere = registerAgent(ai, counter());
    expect(agents.list()).toEqual([prompt, custom, elsewhere]);
    expect([...agents]).toEqual(agents.list());
    expect(agents.get("custom")).toBe(custom);
    expect(agents.get("nobody")).toBeUndefined();
    expect(agentsOf(scriptedGenkit().ai).list()).toEqual([]);
    await elsewhere.close();
    expect(agents.list()).toEqual([prompt, custom]);
  });

  test("is what a server can serve, with the agents of later", async () => {
    const { ai, model } = scriptedGenkit();
    const handler = createHandler(agentsOf(ai), { auth: "public" });
    const ask = (): Promise<Response> =>
      handler(
        new Request("http://localhost/agents/prompt", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ data: user("hi"), init: {} }),
        }),
      );
    expect((await ask()).status).toBe(404);
    defineAgent(ai, { name: "prompt", system: "Hi." });
    model.says("Hello!");
    expect(await (await ask()).json()).toMatchObject({
      result: { message: { content: [{ text: "Hello!" }] } },
    });
  });

  test("is what the reflection API can show, with the agents of later", async () => {
    const { ai } = scriptedGenkit();
    const reflection = createReflection(agentsOf(ai), {
      environment: "development",
      token: "x".repeat(32),
    });
    defineAgent(ai, { name: "prompt", system: "Hi." });
    const headers = { authorization: `Bearer ${"x".repeat(32)}` };
    const response = await reflection(
      new Request(`http://localhost${reflection.path}/agents`, { headers }),
    );
    expect(JSON.stringify(await response.json())).toContain('"prompt"');
  });
});

describe("an agent that is defined again under the same name", () => {
  afterEach(() => vi.unstubAllEnvs());

  const define = (ai: ReturnType<typeof scriptedGenkit>["ai"], system: string, more = {}) =>
    defineAgent(ai, { name: "same", system, store: memory(), ...more });

  test("takes the place of the first when it is told to, and Genkit reports nothing", async () => {
    const reports = vi.spyOn(console, "error");
    onTestFinished(() => reports.mockRestore());
    const { ai, model } = scriptedGenkit();
    define(ai, "First.");
    const second = define(ai, "Second.", { replace: true });
    onTestFinished(() => second.close());
    expect(agentsOf(ai).list()).toEqual([second]);
    model.says("ok");
    await (
      await registered(ai, "/agent/same")
    )(user("hi"));
    expect(model.lastRequest.messages[0]?.content).toEqual([{ text: "Second." }]);
    expect(reports).not.toHaveBeenCalled();
  });

  test.each([
    ["GENKIT_ENV", "dev"],
    ["NODE_ENV", "development"],
  ])("takes the place of the first where %s is %s", (name, value) => {
    const { ai } = scriptedGenkit();
    const first = define(ai, "First.");
    onTestFinished(() => first.close());
    expect(() => define(ai, "Second.")).toThrow(
      expect.objectContaining({ status: "ALREADY_EXISTS" }),
    );
    vi.stubEnv(name, value);
    const second = define(ai, "Second.");
    onTestFinished(() => second.close());
    expect(agentsOf(ai).get("same")).toBe(second);
    expect(() => define(ai, "Third.", { replace: false })).toThrow(
      expect.objectContaining({ status: "ALREADY_EXISTS" }),
    );
  });

  test("may have the name once the first is closed", async () => {
    const { ai } = scriptedGenkit();
    await define(ai, "First.").close();
    const second = define(ai, "Second.");
    expect(agentsOf(ai).list()).toEqual([second]);
    await second.close();
    expect(await ai.registry.lookupAction("/agent/same")).toBeUndefined();
  });

  test("goes on with the sessions of the first", async () => {
    const { ai, model } = scriptedGenkit();
    const store = memory();
    const first = defineAgent(ai, { name: "same", system: "First.", store });
    model.says("one", "two");
    await first.runText("hi", { sessionId: "s" });
    const second = defineAgent(ai, { name: "same", system: "Second.", store, replace: true });
    onTestFinished(() => second.close());
    await second.runText("more", { sessionId: "s" });
    expect(model.lastRequest.messages).toHaveLength(4);
  });
});
