import { z } from "genkit";
import { currentSession } from "turnkeep";
import { defineAgent, definePromptAgent } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { textsOf } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { linesOf, scriptedGenkit, systemOf } from "../scripted-model.ts";

describe.each(STORES)("an inline prompt over %s", (_, openStore) => {
  it("is rendered again in each turn, with the input and the state of then", async () => {
    const { ai, model } = scriptedGenkit();
    const cheer = ai.defineTool(
      { name: "cheer", description: "Lifts the mood.", inputSchema: z.object({}) },
      async () => {
        currentSession()?.setCustom({ mood: "merry" });
        return "done";
      },
    );
    const agent = defineAgent(ai, {
      name: "host",
      store: await openStore(),
      input: { default: { house: "Inn" } },
      system: "Host of {{house}}. Mood: {{@state.mood}}.",
      tools: [cheer],
    });
    model.asksFor({ name: "cheer", input: {} }).says("Hello!", "Again!");
    const first = await agent.runText("hi", { sessionId: "s" });
    expect(first).toMatchObject({
      finishReason: "stop",
      message: { content: [{ text: "Hello!" }] },
    });
    await agent.runText("and now?", { sessionId: "s" });
    expect(model.requests.map(systemOf)).toEqual([
      "Host of Inn. Mood: .",
      "Host of Inn. Mood: .",
      "Host of Inn. Mood: merry.",
    ]);
  });

  it("knows the initial state in the first turn, and a tool changes its draft", async () => {
    const { ai, model } = scriptedGenkit();
    const cheer = ai.defineTool(
      { name: "cheer", description: "Lifts the mood.", inputSchema: z.object({}) },
      async () => {
        currentSession<{ smiles: number }>()?.updateCustom((draft) => {
          draft.smiles += 1;
        });
        return "done";
      },
    );
    ai.definePrompt({ name: "host", model: "scripted", system: "Smiles: {{@state.smiles}}." });
    const store = await openStore();
    const state = z.object({ smiles: z.number() });
    const options = { state, initialState: { smiles: 3 }, store, tools: [cheer] };
    for (const agent of [
      defineAgent(ai, { name: "a", system: "Smiles: {{@state.smiles}}.", ...options }),
      await definePromptAgent(ai, { name: "b", prompt: "host", ...options }),
    ]) {
      model.asksFor({ name: "cheer", input: {} }).says("Hello!", "Again!");
      await agent.runText("hi", { sessionId: "s" });
      await agent.runText("and now?", { sessionId: "s" });
      expect(model.requests.splice(0).map(systemOf)).toEqual([
        "Smiles: 3.",
        "Smiles: 3.",
        "Smiles: 4.",
      ]);
    }
  });

  it("never enters the history", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, {
      name: "quiet",
      store: await openStore(),
      system: "A secret.",
      prompt: "Answer in one word.",
    });
    model.says("one", "two");
    await agent.runText("first", { sessionId: "s" });
    const { snapshotId = "" } = await agent.runText("second", { sessionId: "s" });
    expect(textsOf((await agent.getSnapshot(snapshotId)).state)).toEqual([
      "first",
      "one",
      "second",
      "two",
    ]);
    expect(linesOf(model.lastRequest)).toEqual([
      "system: A secret.",
      "user: first",
      "model: one",
      "user: second",
      "user: Answer in one word.",
    ]);
  });
});

describe("an inline prompt", () => {
  it("may have an input named like a helper of templates", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, {
      name: "roles",
      input: {
        schema: z.object({ role: z.string(), json: z.string() }),
        default: { role: "cook", json: "soup" },
      },
      system: "You are a {{role}}. {{{ json }}} {{~role~}}",
      prompt: "{{#if role}}Be a {{role}}.{{/if}}",
    });
    model.says("ok");
    await agent.runText("hi");
    expect(linesOf(model.lastRequest)).toEqual([
      "system: You are a cook. soupcook",
      "user: hi",
      "user: Be a cook.",
    ]);
  });

  it("still has the helpers, where they are called with something", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, {
      name: "helpers",
      input: { default: { role: "cook", list: [1] } },
      messages: '{{role "system"}}You are a {{role}} with {{json list}}.{{history}}',
    });
    model.says("ok");
    await agent.runText("hi");
    expect(linesOf(model.lastRequest)).toEqual(["system: You are a cook with [1].", "user: hi"]);
  });

  it("may be functions, which are told the input, the state, the context and the history", async () => {
    const { ai, model } = scriptedGenkit();
    const told: unknown[] = [];
    const agent = defineAgent<{ mood: string }, { house: string }>(ai, {
      name: "functions",
      input: { default: { house: "Inn" } },
      system: async (input, moment) => {
        told.push(["system", input, moment]);
        return `At ${input.house}`;
      },
      prompt: async (input, moment) => {
        told.push(["prompt", input, moment]);
        return [{ text: "Be " }, { text: "brief." }];
      },
      messages: async (input, { history = [], ...moment }) => {
        told.push(["messages", input, moment, history.length]);
        return history;
      },
      docs: async (input, moment) => {
        told.push(["docs", input, moment]);
        return [{ content: [{ text: "a page" }] }];
      },
    });
    model.says("one", "two");
    const context = { auth: { name: "Ann" } };
    const { state = {} } = await agent.runText("hi", {
      context,
      state: { custom: { mood: "calm" } },
    });
    await agent.runText("more", { context, state });
    const moment = { state: { mood: "calm" }, context };
    const input = { house: "Inn" };
    expect(told.slice(4)).toEqual([
      ["system", input, moment],
      ["messages", input, moment, 3],
      ["prompt", input, moment],
      ["docs", input, moment],
    ]);
    expect(linesOf(model.lastRequest)).toEqual([
      "system: At Inn",
      "user: hi",
      "model: one",
      "user: more",
      "user: Be brief.",
    ]);
    expect(model.lastRequest.docs).toEqual([{ content: [{ text: "a page" }] }]);
  });

  it("shows the model what a function makes of the history, while the session keeps all of it", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, {
      name: "short",
      system: "Short memory.",
      messages: (_input, { history = [] }) => history.slice(-1),
    });
    model.says("one", "two", "three");
    let { state = {} } = await agent.runText("1");
    for (const text of ["2", "3"]) ({ state = {} } = await agent.runText(text, { state }));
    expect(model.requests.map(linesOf)).toEqual([
      ["system: Short memory.", "user: 1"],
      ["system: Short memory.", "user: 2"],
      ["system: Short memory.", "user: 3"],
    ]);
    expect(textsOf(state)).toEqual(["1", "one", "2", "two", "3", "three"]);
  });

  it("puts the history where its template wants it", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, {
      name: "placed",
      messages:
        '{{role "system"}}Before.{{role "user"}}An example.{{role "model"}}Its answer.{{history}}{{role "user"}}After.',
    });
    model.says("one", "two");
    const { state = {} } = await agent.runText("1");
    const last = await agent.runText("2", { state });
    expect(linesOf(model.lastRequest)).toEqual([
      "system: Before.",
      "user: An example.",
      "model: Its answer.",
      "user: 1",
      "model: one",
      "user: 2",
      "user: After.",
    ]);
    expect(textsOf(last.state)).toEqual(["1", "one", "2", "two"]);
    expect(JSON.stringify(model.requests)).not.toContain("turnkeep");
  });
});
