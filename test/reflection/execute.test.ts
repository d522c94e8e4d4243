import type { Json, LocalAgent, SessionState } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { echoAgent, textOf, user } from "../agent/agents.ts";
import { agentOf, model } from "../agent/authoring/turns.ts";
import { reflecting, turn } from "./reflecting.ts";

const PATH = "agents/actor/execute";

/** Tells what its session held when each turn began; its state becomes whatever it is told as JSON. */
function carrying(): { readonly agent: LocalAgent<Json>; readonly seen: SessionState[] } {
  const seen: SessionState[] = [];
  const agent = agentOf<Json>({}, ({ session, respond }, _, text) => {
    seen.push(session.state());
    if (text.startsWith("{") || text.startsWith("[") || text === "7") {
      session.setCustom(JSON.parse(text) as Json);
    }
    respond.artifact({ name: "note", parts: [{ text: "kept" }] });
    session.addMessages(model(`heard ${text}`));
    return { finishReason: "stop" };
  });
  return { agent, seen };
}

describe("what an agent without a store answers, sent back as `init`,", () => {
  test.each<[string, Json | undefined]>([
    ['{"order":"7","artifacts":["mine"]}', { order: "7", artifacts: ["mine"] }],
    ['{"messages":[1],"custom":2}', { messages: [1], custom: 2 }],
    ["{}", {}],
    ["[1,2]", [1, 2]],
    ["7", 7],
    ["nothing", undefined],
  ])("is the state that the next turn begins with: %s", async (text, custom) => {
    const { agent, seen } = carrying();
    const { ask } = reflecting([agent]);
    const { result } = (await ask(PATH, { body: turn(text) })).body;
    const { sessionId, messages, state, artifacts } = result;
    expect(state).toEqual(custom);
    const { status } = await ask(PATH, {
      body: turn("next", { init: { sessionId, messages, state, artifacts } }),
    });
    expect(status).toBe(200);
    expect(seen.at(-1)).toEqual({
      sessionId,
      messages: [...messages, user("next").message],
      artifacts,
      ...(custom !== undefined && { custom }),
    });
  });

  test("is a fresh start where all of it is empty", async () => {
    const { agent, seen } = carrying();
    const { ask } = reflecting([agent]);
    const init = { sessionId: "mine", messages: [], state: {}, artifacts: [] };
    const { body } = await ask(PATH, { body: turn("hi", { init }) });
    expect(body.result.sessionId).toBe("mine");
    expect(seen[0]).not.toHaveProperty("custom");
  });
});

describe("a message", () => {
  test.each<[string, object]>([
    ["of text alone", { content: "hello" }],
    ["of text and a role", { role: "user", content: "hello" }],
    ["of parts without a role", { content: [{ text: "hello" }] }],
    ["as an input", { message: { role: "user", content: [{ text: "hello" }] } }],
  ])("%s is one of the user, as the served schema says", async (_, input) => {
    const { ask } = reflecting([echoAgent({ store: new MemoryStore() })]);
    const { status, body } = await ask("agents/echo/execute", { body: { input } });
    expect(status).toBe(200);
    expect(body.result.messages[0]).toEqual({ role: "user", content: [{ text: "hello" }] });
    const run = await ask("runAction", { body: { key: "/agent/echo", input, init: {} } });
    expect(textOf(run.body.result.message)).toBe("HELLO");
  });

  test("may come with what else a turn is given", async () => {
    const { ask } = reflecting([echoAgent({ store: new MemoryStore() })]);
    const body = { input: { content: "hello", detach: true } };
    const { result } = (await ask("agents/echo/execute", { body })).body;
    expect(result.finishReason).toBe("detached");
  });

  test.each<[string, object]>([
    ["missing", {}],
    ["given twice", { input: { content: "a", message: user("b").message } }],
    ["that is a number", { input: { content: 5 } }],
    ["of the model", { input: { role: "model", content: "hello" } }],
    ["under a wrong name", { input: { contents: "hello" } }],
  ])("%s is refused", async (_, body) => {
    const { ask } = reflecting([echoAgent({ store: new MemoryStore() })]);
    for (const [path, given] of [
      ["agents/echo/execute", body],
      ["runAction", { key: "/agent/echo", ...body }],
    ] as const) {
      const answer = await ask(path, { body: given });
      expect(answer.status, path).toBe(400);
      expect(answer.body.error.status).toBe("INVALID_ARGUMENT");
    }
    expect((await ask("agents/echo/sessions")).body.sessions).toEqual([]);
  });
});

describe("unknown members of a request", () => {
  test.each<[object, string]>([
    [{ inti: {} }, "Unknown request field `inti`. Did you mean `init`?"],
    [{ onbusy: "queue" }, "Unknown request field `onbusy`. Did you mean `onBusy`?"],
    [{ init: { sessionID: "s" } }, "Unknown init field `sessionID`. Did you mean `sessionId`?"],
    [{ init: { custom: {} } }, "Unknown init field `custom`. Did you mean `state`?"],
    [
      { init: { sessionState: { mesages: [] } } },
      "Unknown state field `mesages`. Did you mean `messages`?",
    ],
    [{ onBusy: "quue" }, "Unknown busy policy `quue`. Did you mean `queue`?"],
    [{ stream: "yes" }, "'stream' must be true or false."],
  ])("are refused with the nearest one: %j", async (more, message) => {
    const { ask } = reflecting([echoAgent({ store: new MemoryStore() })]);
    const { status, body } = await ask("agents/echo/execute", { body: turn("hi", more) });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ status: "INVALID_ARGUMENT", message });
  });
});

describe("the served schemas", () => {
  const PARTS = ["sessionId", "messages", "state", "artifacts"];

  test.each(["with", "without"])("say what `init` holds, %s a store", async (kind) => {
    const agent = echoAgent(kind === "with" ? { store: new MemoryStore() } : {});
    const { body } = await reflecting([agent]).ask("agents/echo");
    const { properties } = body.initSchema;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(PARTS));
    const refused = Object.entries<{ description?: string }>(properties)
      .filter(([, { description }]) => description?.includes("FAILED_PRECONDITION"))
      .map(([name]) => name);
    expect(refused).toEqual(
      kind === "with" ? ["messages", "state", "artifacts", "sessionState"] : ["snapshotId"],
    );
  });

  test("say that a message is text or parts, and needs no role", async () => {
    const { body } = await reflecting([echoAgent()]).ask("agents/echo");
    expect(body.inputSchema.properties.content.anyOf).toEqual([
      { type: "string" },
      { type: "array", items: { type: "object" } },
    ]);
    expect(body.inputSchema).not.toHaveProperty("required");
  });

  test("are told the truth of what is refused", async () => {
    const kept = reflecting([echoAgent({ store: new MemoryStore() })]);
    for (const more of [
      { messages: [user("hi").message] },
      { state: { a: 1 } },
      { artifacts: [{ parts: [] }] },
      { sessionState: { messages: [user("hi").message] } },
    ]) {
      const { body } = await kept.ask("agents/echo/execute", { body: turn("hi", { init: more }) });
      expect(body.error.status).toBe("FAILED_PRECONDITION");
    }
    const carried = reflecting([echoAgent()]);
    const { body } = await carried.ask("agents/echo/execute", {
      body: turn("hi", { init: { snapshotId: "s.1" } }),
    });
    expect(body.error.status).toBe("FAILED_PRECONDITION");
  });
});
