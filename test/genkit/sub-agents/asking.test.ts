import { genkit, tool } from "genkit";
import { defineCustomAgent as defineElsewhere } from "turnkeep";
import { defineAgent, defineCustomAgent, definePromptAgent } from "turnkeep/genkit";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { defineThinker } from "../registry/thinking-model.ts";
import { closing, freshAi, helper, lead, memory, recall, textOf } from "./crew.ts";

describe("an agent asks another", () => {
  test.each(["by reference", "by name"])("%s", async (how) => {
    const ai = freshAi();
    const store = memory();
    const asked = helper({ ai, store }, recall);
    const outer = lead({ ai, store, agents: [how === "by name" ? "helper" : asked] });
    const output = await outer.runText("dig", { sessionId: "s" });
    expect(textOf(output)).toBe('told {"answer":"DIG"}');
  });

  test("by a name that is defined later", async () => {
    const ai = freshAi();
    const outer = lead({ ai, store: memory(), agents: ["helper"] });
    helper({ ai, store: memory() }, recall);
    expect(textOf(await outer.runText("dig"))).toBe('told {"answer":"DIG"}');
  });

  test("that this Genkit does not know, by reference", async () => {
    const ai = freshAi();
    const elsewhere = helper({ ai: genkit({}), store: memory() }, recall);
    const unregistered = closing(
      defineElsewhere({ name: "plain", store: memory() }, async ({ session }) => {
        await session.run(() =>
          session.addMessages({ role: "model", content: [{ text: "plainly" }] }),
        );
        return session.result();
      }),
    );
    const one = lead({ ai, store: memory(), agents: [elsewhere] });
    const two = lead({ ai, store: memory(), agents: [unregistered], name: "two", tool: "plain" });
    expect(textOf(await one.runText("dig"))).toBe('told {"answer":"DIG"}');
    expect(textOf(await two.runText("dig"))).toBe('told {"answer":"plainly"}');
  });

  test("that is not there, and fails", async () => {
    const outer = lead({ ai: freshAi(), store: memory(), agents: ["helper"] });
    expect(await outer.runText("dig")).toMatchObject({
      finishReason: "failed",
      error: { status: "NOT_FOUND", message: expect.stringContaining("'helper'") },
    });
  });

  test("under another name, described in its own words or the asker's", async () => {
    const ai = freshAi();
    const asked = helper({ ai, store: memory(), description: "Digs." }, recall);
    const tools: unknown[] = [];
    const model = defineThinker(ai, "watching", ({ request, isAnswered }) => {
      tools.push(request.tools?.map(({ name, description }) => [name, description]));
      return isAnswered ? "done" : [{ tool: "dig", input: { task: "a hole" } }];
    });
    const agents = [
      asked,
      { agent: asked, tool: "dig", description: "For holes." },
      { agent: "helper", tool: "unknown" },
    ];
    ai.definePrompt({ name: "watcher", model });
    const outer = closing(await definePromptAgent(ai, { name: "watcher", agents }));
    expect(textOf(await outer.runText("go"))).toBe("done");
    expect(tools[0]).toEqual([
      ["helper", "Digs."],
      ["dig", "For holes."],
      ["unknown", "Asks the agent 'helper'."],
    ]);
  });

  test("in a session of its own, and is remembered there", async () => {
    const ai = freshAi();
    const asked = helper({ ai, store: memory() }, recall);
    const outer = lead({ ai, store: memory(), agents: [asked] });
    await outer.runText("a", { sessionId: "s" });
    expect(textOf(await outer.runText("b", { sessionId: "s" }))).toBe('told {"answer":"A, B"}');
    expect(textOf(await outer.runText("c", { sessionId: "t" }))).toBe('told {"answer":"C"}');
    const { sessions } = await asked.listSessions();
    expect(sessions.map(({ sessionId }) => sessionId).toSorted()).toEqual(["s:helper", "t:helper"]);
  });

  test("that has a store while it has none itself", async () => {
    const ai = freshAi();
    const asked = helper({ ai, store: memory() }, recall);
    const outer = lead({ ai, agents: [asked] });
    const first = await outer.runText("a");
    expect(textOf(first)).toBe('told {"answer":"A"}');
    const second = await outer.runText("b", { state: first.state! });
    expect(textOf(second)).toBe('told {"answer":"A, B"}');
  });

  test("twice in one round: one after the other, answered in the order of the requests", async () => {
    const ai = freshAi();
    let atWork = 0;
    const asked = helper({ ai, store: memory() }, async (thought) => {
      atWork += 1;
      await Promise.resolve();
      expect(atWork).toBe(1);
      atWork -= 1;
      return recall(thought);
    });
    const outer = lead({ ai, store: memory(), agents: [asked] });
    const output = await outer.runText("a + b + b", { sessionId: "s" });
    expect(textOf(output)).toBe('told {"answer":"A"} {"answer":"A, B"} {"answer":"A, B, B"}');
    const round = (await outer.getLatestSnapshot("s")).state?.messages?.[2];
    expect(round?.content.map(({ toolResponse }) => toolResponse?.ref)).toEqual(["1", "2", "3"]);
    expect(await asked.listSnapshots("s:helper")).toHaveLength(3);
  });

  // Reported: without a store all steps of one name share one key (src/agent/carried-run.ts), so that two requests count as one.
  test("twice in one run without a store: each request is another", async () => {
    const ai = freshAi();
    const asked = helper({ ai, store: memory() }, recall);
    const outer = lead({ ai, agents: [asked] });
    expect(textOf(await outer.runText("a + b"))).toBe('told {"answer":"A"} {"answer":"A, B"}');
  });

  test("and passes on what it was told of its caller", async () => {
    const ai = freshAi();
    const heard: unknown[] = [];
    const inner = closing(
      defineCustomAgent(ai, { name: "helper", store: memory() }, async ({ session, context }) => {
        heard.push({ ...context }, { ...ai.currentContext() });
        await session.run(() => {});
      }),
    );
    const outer = lead({ ai, store: memory(), agents: [inner] });
    await outer.runText("a", { context: { auth: { uid: "u1" } } });
    expect(JSON.parse(JSON.stringify(heard))).toEqual([
      { auth: { uid: "u1" } },
      { auth: { uid: "u1" } },
    ]);
  });

  test("which asks a third", async () => {
    const ai = freshAi();
    const store = memory();
    const third = helper({ ai, store, name: "third" }, recall);
    const second = lead({ ai, store, agents: [third], name: "second", tool: "third" });
    const first = lead({ ai, store, agents: [second], name: "first", tool: "second" });
    await first.runText("a", { sessionId: "s" });
    const output = await first.runText("b", { sessionId: "s" });
    expect(textOf(output)).toContain("A, B");
    expect(await third.listSnapshots("s:second:third")).toHaveLength(2);
  });
});

// Reported: nothing tells a tool which tenant its turn is of, so the asked agent works for that of its own definition.
test("an agent that is asked for one tenant remembers nothing of another", async () => {
  const ai = freshAi();
  const asked = helper({ ai, store: memory() }, recall);
  const outer = lead({ ai, store: memory(), agents: [asked] });
  await outer.runText("secret", { sessionId: "s", tenant: "one" });
  const output = await outer.runText("dig", { sessionId: "s", tenant: "two" });
  expect(textOf(output)).toBe('told {"answer":"DIG"}');
});

test("what is asked again and again gives Genkit nothing to complain about", async () => {
  const complaints = vi.spyOn(console, "error");
  onTestFinished(() => complaints.mockRestore());
  const ai = freshAi();
  const asked = helper({ ai, store: memory() }, recall);
  const plain = tool({ name: "plain", description: "Plain." }, async () => "plainly");
  const model = defineThinker(ai, "both", ({ isAnswered }) =>
    isAnswered
      ? "done"
      : [
          { tool: "helper", input: { task: "dig" }, ref: "1" },
          { tool: "plain", input: {}, ref: "2" },
        ],
  );
  const outer = closing(
    defineAgent(ai, { name: "outer", model, agents: [asked], tools: [plain], store: memory() }),
  );
  for (const text of ["a", "b", "c"]) {
    expect(textOf(await outer.runText(text, { sessionId: "s" }))).toBe("done");
  }
  expect(complaints).not.toHaveBeenCalled();
});

describe("agents that ask each other without end", () => {
  test.each([
    { what: "with stores", store: memory },
    { what: "without stores", store: () => undefined },
  ])("$what are stopped, and say who asked whom", async ({ store }) => {
    const ai = freshAi();
    const one = lead({ ai, store: store(), agents: ["two"], name: "one", tool: "two" });
    lead({ ai, store: store(), agents: ["one"], name: "two", tool: "one" });
    const output = await one.runText("a");
    expect(output).toMatchObject({
      finishReason: "failed",
      error: {
        status: "RESOURCE_EXHAUSTED",
        message: expect.stringContaining("two > one > two > one"),
      },
    });
  });

  test("are stopped when one asks itself", async () => {
    const ai = freshAi();
    const one = lead({ ai, store: memory(), agents: ["one"], name: "one", tool: "one" });
    expect(await one.runText("a")).toMatchObject({
      finishReason: "failed",
      error: { status: "RESOURCE_EXHAUSTED" },
    });
  });
});
