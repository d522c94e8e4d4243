import { type Genkit, ToolInterruptError, z } from "genkit";
import { genkit, InMemorySessionStore } from "genkit/beta";
import { type Json, type LocalAgent, openInterrupts } from "turnkeep";
import { describe, expect, test } from "vitest";
import { gateOf } from "../registry/registered.ts";
import { type Answer, defineThinker, type Thought } from "../registry/thinking-model.ts";
import { closing, freshAi, helper, memory, textOf } from "./crew.ts";
import { defineAgent } from "turnkeep/genkit";

/** An agent whose model does what the user writes: `start x`, `check 1`, `wait 1`; tasks are numbered as they were started. */
function lead(
  ai: Genkit,
  agents: Parameters<typeof defineAgent>[1]["agents"],
): { readonly agent: LocalAgent; readonly tasks: string[] } {
  const tasks: string[] = [];
  const model = defineThinker(
    ai,
    "lead-model",
    ({ request, heard, isAnswered }: Thought): Answer => {
      if (isAnswered) {
        for (const { toolResponse } of request.messages.at(-1)?.content ?? []) {
          const { task } = (toolResponse?.output ?? {}) as { task?: string };
          if (task) tasks.push(task);
        }
        return heard;
      }
      return heard.split(" + ").map((word, index) => {
        const [verb, ...rest] = word.split(" ");
        const ref = `${index}`;
        if (verb === "start") return { tool: "helper", input: { task: rest.join(" ") }, ref };
        const [number = "", seconds = "60"] = rest;
        const task = tasks[Number(number) - 1] ?? number;
        return verb === "check"
          ? { tool: "checkTask", input: { task }, ref }
          : { tool: "waitForTask", input: { task, seconds: Number(seconds) }, ref };
      });
    },
  );
  const agent = defineAgent(ai, { name: "lead", model, agents: agents!, store: memory() });
  return { agent: closing(agent), tasks };
}

async function resultsOf(
  agent: LocalAgent,
  text: string,
  sessionId = "s",
): Promise<readonly Json[]> {
  const output = await agent.runText(text, { sessionId });
  expect(output.error).toBeUndefined();
  return textOf(output)
    .split(/(?<=\}) /)
    .map((result) => JSON.parse(result) as Json);
}

describe("an agent that works in the background", () => {
  test("is started, checked and waited for, while the asker goes on", async () => {
    const ai = freshAi();
    const go = gateOf();
    const asked = helper({ ai, store: memory() }, async ({ heard }) => {
      await go.promise;
      return heard.toUpperCase();
    });
    const { agent, tasks } = lead(ai, [{ agent: asked, background: true }]);
    expect(await resultsOf(agent, "start a + start b")).toMatchObject([
      { status: "pending" },
      { status: "pending" },
    ]);
    expect(new Set(tasks).size).toBe(2);
    expect(await resultsOf(agent, "check 1")).toEqual([{ status: "pending" }]);
    expect(await resultsOf(agent, "wait 1 0")).toEqual([{ status: "pending" }]);
    go.open();
    expect(await resultsOf(agent, "wait 1 + wait 2")).toEqual([
      { status: "completed", answer: "A" },
      { status: "completed", answer: "B" },
    ]);
    expect(await resultsOf(agent, "check 2")).toEqual([{ status: "completed", answer: "B" }]);
  });

  test("puts its artifacts into the session of the one who waits", async () => {
    const ai = freshAi();
    const write = ai.defineTool({ name: "write", description: "Writes." }, async () => {
      ai.currentSession().addArtifacts([{ name: "page", parts: [{ text: "x" }] }]);
    });
    const asked = helper({ ai, store: memory(), tools: [write] }, ({ isAnswered }) =>
      isAnswered ? "written" : [{ tool: "write", input: {} }],
    );
    const { agent } = lead(ai, [{ agent: asked, background: true }]);
    await resultsOf(agent, "start a");
    expect(await resultsOf(agent, "wait 1")).toEqual([
      { status: "completed", answer: "written", artifacts: ["page"] },
    ]);
    expect((await agent.getLatestSnapshot("s")).state?.artifacts).toMatchObject([{ name: "page" }]);
  });

  test("that fails or is aborted is told to the model, which goes on", async () => {
    const ai = freshAi();
    const waits = gateOf();
    const asked = helper({ ai, store: memory() }, async ({ heard, signal }) => {
      if (heard === "fail") throw new Error("too much");
      waits.open();
      return await new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      );
    });
    const { agent, tasks } = lead(ai, [{ agent: asked, background: true }]);
    await resultsOf(agent, "start fail + start wait");
    await waits.promise;
    await asked.abort(tasks[1]!.slice("helper/".length));
    expect(await resultsOf(agent, "wait 1 + wait 2")).toEqual([
      { status: "failed", error: expect.stringContaining("too much") },
      { status: "aborted" },
    ]);
  });

  test("that waits for a person makes the asker wait, and goes on with the answer", async () => {
    const ai = freshAi();
    const approve = ai.defineTool(
      { name: "approve", description: "Asks.", inputSchema: z.object({}) },
      async (_, { resumed }) => {
        if (resumed) return "approved";
        throw new ToolInterruptError({ question: "May I?" });
      },
    );
    const asked = helper({ ai, store: memory(), tools: [approve] }, ({ heard, isAnswered }) =>
      isAnswered ? `heard ${heard}` : [{ tool: "approve", input: {}, ref: "a" }],
    );
    const { agent, tasks } = lead(ai, [{ agent: asked, background: true }]);
    await resultsOf(agent, "start a");
    await asked.waitFor(tasks[0]!.slice("helper/".length));
    expect(await resultsOf(agent, "check 1")).toMatchObject([{ status: "interrupted" }]);
    const waiting = await agent.runText("wait 1", { sessionId: "s" });
    const [interrupt] = openInterrupts(waiting);
    expect(interrupt?.inner).toMatchObject([
      { tool: "approve", interrupt: { question: "May I?" } },
    ]);
    const done = await agent.run({ resume: interrupt!.approve() }, { sessionId: "s" });
    expect(textOf(done)).toBe('{"answer":"heard \\"approved\\""}');
    expect(await resultsOf(agent, "check 1")).toMatchObject([{ status: "completed" }]);
  });

  test("is looked after by the session that started it only", async () => {
    const ai = freshAi();
    const asked = helper({ ai, store: memory() }, () => "secret");
    const { agent, tasks } = lead(ai, [{ agent: asked, background: true }]);
    await resultsOf(agent, "start a");
    await resultsOf(agent, "wait 1");
    for (const text of ["check 1", "wait 1"]) {
      expect(await resultsOf(agent, text, "other")).toMatchObject([{ status: "unknown" }]);
    }
    tasks.push("nobody/x", "helper/s.nothing", "helper");
    for (const number of [2, 3, 4]) {
      expect(await resultsOf(agent, `check ${number}`)).toMatchObject([{ status: "unknown" }]);
    }
  });

  test("needs a store", async () => {
    const ai = freshAi();
    const { agent } = lead(ai, [{ agent: helper({ ai }, () => "x"), background: true }]);
    expect(await agent.runText("start a")).toMatchObject({
      finishReason: "failed",
      error: { status: "FAILED_PRECONDITION", message: expect.stringContaining("'helper'") },
    });
  });

  test("may be one of Genkit's own", async () => {
    const ai = genkit({});
    ai.defineCustomAgent({ name: "helper", store: new InMemorySessionStore() }, async (session) => {
      await session.run(async ({ message }) => {
        const text = (message?.content[0]?.text ?? "").toUpperCase();
        session.addMessages([{ role: "model", content: [{ text }] }]);
        return { finishReason: "stop" };
      });
      return { message: session.getMessages().at(-1)! };
    });
    const { agent } = lead(ai, [{ agent: "helper", background: true }]);
    await resultsOf(agent, "start a");
    expect(await resultsOf(agent, "wait 1")).toEqual([{ status: "completed", answer: "A" }]);
  });
});

test("the tools that look after tasks are there only for agents that have some", async () => {
  const ai = freshAi();
  const asked = helper({ ai, store: memory() }, () => "x");
  const names: unknown[] = [];
  const outer = helper({ ai, name: "outer", agents: [asked] }, ({ request }) => {
    names.push(request.tools?.map(({ name }) => name));
    return "ok";
  });
  await outer.runText("hi");
  expect(names).toEqual([["helper"]]);
});
