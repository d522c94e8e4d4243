import type { AgentOutput, LocalAgent, SessionState } from "turnkeep";
import { describe, expect, test } from "vitest";
import { sqlitePlace } from "../plugins/stores.ts";
import { freshAi, helper, lead, memory, recall, textOf } from "./crew.ts";

/** A talk with an agent, whoever holds its state. */
function talkWith(agent: LocalAgent): (text: string) => Promise<AgentOutput> {
  let state: SessionState = {};
  const isKept = agent.metadata.stateManagement === "server";
  return async (text) => {
    const output = await agent.runText(text, isKept ? { sessionId: "s" } : { state });
    if (!isKept) state = output.state ?? {};
    return output;
  };
}

describe.each([
  { what: "a store", store: memory },
  { what: "no store", store: () => undefined },
])("an agent without a store that is asked by one with $what", ({ store }) => {
  test("remembers what it was asked before, turn after turn", async () => {
    const ai = freshAi();
    const say = talkWith(lead({ ai, store: store(), agents: [helper({ ai }, recall)] }));
    expect(textOf(await say("a"))).toBe('told {"answer":"A"}');
    expect(textOf(await say("b"))).toBe('told {"answer":"A, B"}');
    expect(textOf(await say("c"))).toBe('told {"answer":"A, B, C"}');
  });

  test("remembers what it was asked before in the same turn, one after the other", async () => {
    const ai = freshAi();
    const say = talkWith(lead({ ai, store: store(), agents: [helper({ ai }, recall)] }));
    expect(textOf(await say("a + b"))).toBe('told {"answer":"A"} {"answer":"A, B"}');
    expect(textOf(await say("c"))).toBe('told {"answer":"A, B, C"}');
  });
});

describe("what an agent without a store remembers", () => {
  test("is in the asker's history once, and neither its model nor its stream sees it", async () => {
    const ai = freshAi();
    const seen: string[] = [];
    const asked = helper({ ai }, recall);
    const outer = helper({ ai, name: "lead", store: memory(), agents: [asked] }, (thought) => {
      seen.push(JSON.stringify(thought.request));
      return thought.isAnswered ? "done" : [{ tool: "helper", input: { task: thought.heard } }];
    });
    for (const text of ["a", "b", "c"]) await outer.runText(text, { sessionId: "s" });
    const { state } = await outer.getLatestSnapshot("s");
    const memories = state?.messages?.flatMap(({ content }) =>
      content.flatMap(({ metadata }) => metadata?.["subAgent"] ?? []),
    );
    expect(memories).toMatchObject([{ agent: "helper", state: { messages: { length: 6 } } }]);
    const startOfTurns = seen.filter((_, index) => index % 2 === 0);
    expect(startOfTurns.join()).not.toContain("subAgent");
  });

  test("goes along with a fork and a branch", async () => {
    const ai = freshAi();
    const outer = lead({ ai, store: memory(), agents: [helper({ ai }, recall)] });
    const { snapshotId = "" } = await outer.runText("a", { sessionId: "s" });
    await outer.runText("b", { sessionId: "s" });
    await outer.fork(snapshotId, { sessionId: "forked" });
    const forked = await outer.runText("c", { sessionId: "forked" });
    expect(textOf(forked)).toBe('told {"answer":"A, C"}');
    expect(textOf(await outer.runText("d", { snapshotId }))).toBe('told {"answer":"A, D"}');
  });

  test("is there after a restart", async () => {
    const place = await sqlitePlace();
    for (const [task, expected] of [
      ["a", "A"],
      ["b", "A, B"],
    ] as const) {
      const ai = freshAi();
      const outer = lead({ ai, store: await place.open(), agents: [helper({ ai }, recall)] });
      const output = await outer.runText(task, { sessionId: "s" });
      expect(textOf(output)).toBe(`told {"answer":"${expected}"}`);
      await outer.close();
    }
  });

  test("is bounded: of a long conversation the newest messages are kept", async () => {
    const ai = freshAi();
    const asked = helper({ ai }, ({ request }) => `${request.messages.length}`);
    const outer = lead({ ai, store: memory(), agents: [asked] });
    const task = "x".repeat(20_000);
    const counts: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const output = await outer.runText(task, { sessionId: "s" });
      counts.push(/"answer":"(\d+)"/.exec(textOf(output))?.[1] ?? "");
    }
    expect(counts).toEqual(["1", "3", "5", "7", "7", "7"]);
  });

  test("is kept when a tool beside it waits for a person", async () => {
    const ai = freshAi();
    const ask = ai.defineTool({ name: "ask", description: "Asks." }, async (_, { resumed }) => {
      if (resumed) return "yes";
      throw Object.assign(new Error(), { name: "ToolInterruptError" });
    });
    const asked = helper({ ai }, recall);
    const outer = helper(
      { ai, name: "lead", store: memory(), agents: [asked], tools: [ask] },
      ({ heard, isAnswered }) => {
        if (isAnswered) return `told ${heard}`;
        const helping = { tool: "helper", input: { task: heard }, ref: "1" };
        return heard === "a" ? [helping, { tool: "ask", input: {}, ref: "2" }] : [helping];
      },
    );
    const waiting = await outer.runText("a", { sessionId: "s" });
    expect(waiting.finishReason).toBe("interrupted");
    const respond = [{ toolResponse: { name: "ask", ref: "2", output: "yes" } }];
    await outer.run({ resume: { respond } }, { sessionId: "s" });
    expect(textOf(await outer.runText("b", { sessionId: "s" }))).toBe('told {"answer":"A, B"}');
  });
});
