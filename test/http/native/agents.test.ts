import { expect, it } from "vitest";
import { ROUTES } from "../../../src/http/routes.ts";
import { echoAgent } from "../../agent/agents.ts";
import { slowAgent } from "../../agent/life/slow-agent.ts";
import { gateOf } from "../../agent/life/waiting.ts";
import { MemoryStore } from "turnkeep/stores/memory";
import { allFrames, framesOf } from "../frames.ts";
import { run, served, STREAMED, turn } from "../serving.ts";

it("lists the agents and describes each", async () => {
  const kept = echoAgent({ name: "kept", description: "Keeps.", store: new MemoryStore() });
  const { ask } = await served([kept, echoAgent({ name: "carried" })]);
  const { body } = await ask("/agents");
  expect(body.agents).toEqual([
    {
      name: "kept",
      description: "Keeps.",
      metadata: { stateManagement: "server", abortable: true },
    },
    { name: "carried", metadata: { stateManagement: "client", abortable: false } },
  ]);
  expect((await ask("/agents/kept")).body).toEqual(body.agents[0]);
  expect((await ask("/agents/")).body).toEqual(body);
  for (const name of ["nobody", "constructor", "__proto__", "toString", "%00", ""]) {
    const { status } = await ask(`/agents/${name}${name === "" ? "/" : ""}`);
    expect(status, name).toBe(404);
  }
  expect((await ask("/")).status).toBe(404);
  expect((await ask("/agentsy")).status).toBe(404);
});

it("answers elsewhere where it is told to", async () => {
  const { ask } = await served([echoAgent()], { basePath: "api/v1/" });
  expect((await ask("/api/v1/echo", { body: turn("hi") })).status).toBe(200);
  expect((await ask("/agents/echo", { body: turn("hi") })).status).toBe(404);
});

it("says what an agent without a store cannot do", async () => {
  const { ask } = await served([echoAgent()]);
  const asked = ROUTES.filter(({ path }) => path.startsWith(":agent/")).map(
    async ({ method, path }) => {
      const at = path.replace(":agent", "echo").replaceAll(/:\w+/g, "s.1");
      const answer = await ask(`/agents/${at}`, {
        method,
        ...(method === "POST" && { body: run("hi") }),
      });
      return [`${method} ${path}`, answer.status, answer.body?.status];
    },
  );
  const answers = await Promise.all(asked);
  expect(answers).toEqual(answers.map(([name]) => [name, 501, "UNIMPLEMENTED"]));
  expect(answers.length).toBeGreaterThan(15);
});

it("streams a run that nobody keeps, whose state the client carries", async () => {
  const { open, ask } = await served([echoAgent()]);
  const first = await allFrames(
    await open("/agents/echo/runs", { body: run("a"), headers: STREAMED }),
  );
  const { state } = first.at(-1)!.data;
  expect(state.messages).toHaveLength(2);
  const more = { body: run("b", { init: { state } }), headers: STREAMED };
  const second = await allFrames(await open("/agents/echo/runs", more));
  expect(second.at(-1)?.data.state.messages).toHaveLength(4);
  const { body } = await ask("/agents/echo", { body: turn("c", { state }) });
  expect(body.result.state.messages).toHaveLength(4);
  for (const init of [{ sessionId: "s" }, { snapshotId: "s.1" }]) {
    expect((await ask("/agents/echo", { body: turn("c", init) })).status).toBe(400);
  }
  const detached = { data: { detach: true, ...run("x") } };
  expect((await ask("/agents/echo", { body: detached })).status).toBe(400);
});

it.each([
  ["/agents/slow", turn("go"), STREAMED],
  ["/agents/slow", turn("go"), {}],
  ["/agents/slow/runs", run("go"), STREAMED],
] as const)(
  "stops a run at %s that nobody keeps when its client leaves",
  async (path, body, headers) => {
    const [begun, stopped] = [gateOf(), gateOf()];
    const agent = slowAgent({}, async (_, { signal }) => {
      begun.open();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      stopped.open();
    });
    const { open } = await served([agent]);
    const leave = new AbortController();
    const asked = open(path, { body, headers, signal: leave.signal });
    await begun.promise;
    if ("accept" in headers) {
      const frames = framesOf(await asked);
      leave.abort();
      await expect(frames.next()).rejects.toThrow(Error);
    } else {
      leave.abort();
      await expect(asked).rejects.toThrow(Error);
    }
    await stopped.promise;
  },
);
