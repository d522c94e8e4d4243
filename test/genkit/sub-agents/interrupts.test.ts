import { type Genkit, ToolInterruptError, z } from "genkit";
import {
  type AgentOutput,
  type LocalAgent,
  openInterrupts,
  type Part,
  type SessionStore,
} from "turnkeep";
import { describe, expect, test } from "vitest";
import { freshAi, helper, lead, memory, textOf } from "./crew.ts";

describe("one who is asked and waits for a person", () => {
  test("makes the asker wait, who shows what is asked and passes the answer on", async () => {
    const { outer, asked } = crew(memory());
    const waiting = await outer.runText("dig", { sessionId: "s" });
    const [request] = requestsOf(waiting);
    expect(waiting.finishReason).toBe("interrupted");
    const [inner] = await asked.listSnapshots("s:helper");
    expect(request).toMatchObject({
      toolRequest: { name: "helper", ref: "1", input: { task: "dig" } },
      metadata: {
        interrupt: {
          agent: "helper",
          snapshotId: inner!.snapshotId,
          requests: [
            {
              toolRequest: { name: "approve", ref: "a1", input: { what: "dig" } },
              metadata: { interrupt: { question: "dig?" } },
            },
          ],
        },
      },
    });
    const resumed = { respond: [answerOf("yes")] };
    const done = await outer.run(restart(request!, resumed), { sessionId: "s" });
    expect(done.finishReason).toBe("stop");
    expect(textOf(done)).toBe('told {"answer":"heard \\"yes\\""}');
    expect(await asked.listSnapshots("s:helper")).toMatchObject([
      { finishReason: "interrupted" },
      { finishReason: "stop" },
    ]);
  });

  test("is restarted by a restart of its own", async () => {
    const { outer } = crew(memory());
    const [request] = requestsOf(await outer.runText("dig", { sessionId: "s" }));
    const again = [{ toolRequest: { name: "approve", ref: "a1", input: { what: "dig" } } }];
    const done = await outer.run(restart(request!, { restart: again }), { sessionId: "s" });
    expect(textOf(done)).toBe('told {"answer":"heard \\"approved\\""}');
  });

  test("refuses an answer to what it did not ask, and waits on", async () => {
    const { outer } = crew(memory());
    const [request] = requestsOf(await outer.runText("dig", { sessionId: "s" }));
    const wrong = { respond: [answerOf("yes", "a2")] };
    expect(await outer.run(restart(request!, wrong), { sessionId: "s" })).toMatchObject({
      finishReason: "failed",
      error: { status: "INVALID_ARGUMENT" },
    });
    const right = { respond: [answerOf("yes")] };
    const done = await outer.run(restart(request!, right), { sessionId: "s" });
    expect(textOf(done)).toBe('told {"answer":"heard \\"yes\\""}');
  });

  test("may ask again after the answer, through the asker", async () => {
    const { outer } = crew(memory(), { times: 2 });
    let output = await outer.runText("dig", { sessionId: "s" });
    for (const word of ["one", "two"]) {
      expect(output.finishReason).toBe("interrupted");
      const [request] = requestsOf(output);
      const respond = [answerOf(word, `a${word === "one" ? 1 : 2}`)];
      output = await outer.run(restart(request!, { respond }), { sessionId: "s" });
    }
    expect(output.finishReason).toBe("stop");
    expect(textOf(output)).toContain("two");
  });

  test("makes everyone above wait, and the answer finds its way down", async () => {
    const { ai, outer } = crew(memory());
    const top = lead({ ai, store: memory(), agents: [outer], name: "top", tool: "lead" });
    const [request] = requestsOf(await top.runText("dig", { sessionId: "s" }));
    const [middle] = (request!.metadata!["interrupt"] as { requests: Part[] }).requests;
    const resumed = { respond: [answerOf("yes")] };
    const down = { restart: [{ toolRequest: middle!.toolRequest!, metadata: { resumed } }] };
    const done = await top.run(restart(request!, down), { sessionId: "s" });
    expect(done.finishReason).toBe("stop");
    expect(textOf(done)).toContain("yes");
  });

  test("waits alone when its task is answered for it, and says so when it is asked again", async () => {
    const { outer } = crew(memory());
    const [request] = requestsOf(await outer.runText("dig", { sessionId: "s" }));
    const { name, ref } = request!.toolRequest!;
    const respond = [{ toolResponse: { name, ref: ref!, output: { answer: "never mind" } } }];
    const done = await outer.run({ resume: { respond } }, { sessionId: "s" });
    expect(textOf(done)).toBe('told {"answer":"never mind"}');
    expect(await outer.runText("dig again", { sessionId: "s" })).toMatchObject({
      finishReason: "failed",
      error: { status: "FAILED_PRECONDITION", message: expect.stringContaining("'helper'") },
    });
  });

  test("without a store goes on from what the asker's history remembers of it", async () => {
    for (const outerStore of [memory(), undefined]) {
      const { outer } = crew(undefined, { outerStore, times: 2 });
      const isKept = outerStore !== undefined;
      let output = await outer.runText("dig", isKept ? { sessionId: "s" } : {});
      for (const word of ["one", "two"]) {
        expect(output.finishReason).toBe("interrupted");
        const [interrupt] = openInterrupts(output);
        const resume = interrupt!.approve(interrupt!.inner[0]!.answer(word));
        output = await outer.run(
          { resume },
          isKept ? { sessionId: "s" } : { state: output.state! },
        );
      }
      expect(textOf(output)).toBe('told {"answer":"heard \\"two\\""}');
    }
  });
});

function answerOf(output: string, ref = "a1"): { toolResponse: object } {
  return { toolResponse: { name: "approve", ref, output } };
}

function requestsOf({ message }: AgentOutput): readonly Part[] {
  return (message?.content ?? []).filter(({ toolRequest }) => toolRequest);
}

function restart({ toolRequest }: Part, resumed: object): never {
  return { resume: { restart: [{ toolRequest, metadata: { resumed } }] } } as never;
}

/** One who is asked and wants its work approved, so many times. */
function crew(
  store: SessionStore | undefined,
  { times = 1, outerStore = store }: { times?: number; outerStore?: SessionStore | undefined } = {},
): { readonly ai: Genkit; readonly outer: LocalAgent; readonly asked: LocalAgent } {
  const ai = freshAi();
  const approve = ai.defineTool(
    { name: "approve", description: "Asks.", inputSchema: z.object({ what: z.string() }) },
    async ({ what }, { resumed }) => {
      if (resumed) return "approved";
      throw new ToolInterruptError({ question: `${what}?` });
    },
  );
  const asked = helper({ ai, ...(store && { store }), tools: [approve] }, ({ request, heard }) => {
    const rounds = request.messages.filter(({ role }) => role === "tool").length;
    if (rounds >= times) return `heard ${heard}`;
    return [{ tool: "approve", input: { what: "dig" }, ref: `a${rounds + 1}` }];
  });
  return { ai, outer: lead({ ai, store: outerStore, agents: [asked] }), asked };
}
