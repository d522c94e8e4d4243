import type { MessageData } from "genkit";
import { defineAgent, definePromptAgent } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { textsOf, user } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { linesOf, scriptedGenkit } from "../scripted-model.ts";

const START: readonly MessageData[] = [
  { role: "user", content: [{ text: "I learn Go." }] },
  { role: "model", content: [{ text: "Great!" }] },
];
const SEEN = ["system: Teach.", "user: I learn Go.", "model: Great!"];
const FIRST = [...SEEN, "user: hi"];

describe.each(STORES)("the messages that a session starts with, over %s", (_, openStore) => {
  it("are added once, before the first message, and are part of the history", async () => {
    const { ai, model } = scriptedGenkit();
    const store = await openStore();
    const agent = defineAgent(ai, { name: "tutor", store, system: "Teach.", messages: START });
    model.says("one", "two");
    await agent.runText("hi", { sessionId: "s" });
    await agent.runText("more", { sessionId: "s" });
    expect(model.requests.map(linesOf)).toEqual([
      [...SEEN, "user: hi"],
      [...SEEN, "user: hi", "model: one", "user: more"],
    ]);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual([
      "I learn Go.",
      "Great!",
      "hi",
      "one",
      "more",
      "two",
    ]);
  });

  it("are added once also when the first turn fails and is tried again with nothing new", async () => {
    const { ai, model } = scriptedGenkit();
    const store = await openStore();
    const agent = defineAgent(ai, { name: "tutor", store, system: "Teach.", messages: START });
    model.fails().says("one");
    const failed = await agent.runText("hi", { sessionId: "s" });
    expect(failed).toMatchObject({
      finishReason: "failed",
      error: { message: "The model is down." },
    });
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual([
      "I learn Go.",
      "Great!",
      "hi",
    ]);
    const again = await agent.run({}, { sessionId: "s" });
    expect(again).toMatchObject({ finishReason: "stop", message: { content: [{ text: "one" }] } });
    expect(model.requests.map(linesOf)).toEqual([FIRST, FIRST]);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual([
      "I learn Go.",
      "Great!",
      "hi",
      "one",
    ]);
  });

  it("are added once also when the first turn was aborted", async () => {
    const { ai, model } = scriptedGenkit();
    const store = await openStore();
    const agent = defineAgent(ai, { name: "tutor", store, system: "Teach.", messages: START });
    const stop = new AbortController();
    model.hangs(() => stop.abort());
    expect(await agent.runText("hi", { sessionId: "s", signal: stop.signal })).toMatchObject({
      finishReason: "aborted",
    });
    model.says("one");
    await agent.runText("hello", { sessionId: "s" });
    const lines = linesOf(model.lastRequest);
    expect(lines.slice(0, 3)).toEqual(SEEN);
    expect(lines.filter((line) => line === SEEN[1])).toHaveLength(1);
    expect(lines.at(-1)).toBe("user: hello");
  });

  it("are not added to a session that is there already", async () => {
    const { ai, model } = scriptedGenkit();
    const store = await openStore();
    const before = defineAgent(ai, { name: "tutor", store, system: "Teach." });
    model.says("one");
    const { snapshotId = "" } = await before.runText("hi", { sessionId: "s" });
    await before.fork(snapshotId, { sessionId: "forked" });
    const other = scriptedGenkit();
    const after = defineAgent(other.ai, {
      name: "tutor",
      store,
      system: "Teach.",
      messages: START,
    });
    other.model.says("two", "three");
    for (const sessionId of ["s", "forked"]) {
      await after.runText("more", { sessionId });
      expect(linesOf(other.model.lastRequest)).toEqual([
        "system: Teach.",
        "user: hi",
        "model: one",
        "user: more",
      ]);
    }
  });
});

describe("the messages that a session starts with", () => {
  it("are there for agents with a prompt that Genkit knows, and state that a client holds", async () => {
    const { ai, model } = scriptedGenkit();
    ai.definePrompt({ name: "teach", system: "Teach." });
    const agent = await definePromptAgent(ai, { name: "tutor", prompt: "teach", messages: START });
    model.says("one", "two");
    const { state = {} } = await agent.runText("hi");
    await agent.runText("more", { state });
    expect(linesOf(model.lastRequest)).toEqual([...SEEN, "user: hi", "model: one", "user: more"]);
  });

  it("are as they were, whatever becomes of the list", async () => {
    const { ai, model } = scriptedGenkit();
    const messages = structuredClone([...START]);
    const agent = defineAgent(ai, { name: "tutor", system: "Teach.", messages });
    model.says("one", "two");
    await agent.run(user("hi"));
    messages[0]!.content[0]!.text = "changed";
    messages.pop();
    await agent.run(user("hi"));
    expect(model.requests.map(linesOf)).toEqual([FIRST, FIRST]);
  });
});
