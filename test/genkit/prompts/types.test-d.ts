import { type Action, z as zod3 } from "genkit";
import type { AgentOutput, Json, LocalAgent } from "turnkeep";
import {
  defineAgent,
  definePromptAgent,
  type GenkitAgent,
  toolCall,
  type ToolCall,
} from "turnkeep/genkit";
import { expectTypeOf, test } from "vitest";
import { z as zod4 } from "zod";
import { scriptedGenkit } from "../scripted-model.ts";

interface Task {
  title: string;
  steps: number;
}
interface Mood {
  mood: string;
}

const { ai } = scriptedGenkit();
const ofZod3 = zod3.object({ title: zod3.string(), steps: zod3.number() });
const ofZod4 = zod4.object({ title: zod4.string(), steps: zod4.number() });
const state = zod4.object({ mood: zod4.string() });
const initialState = { mood: "fine" };

test("an agent's answer is typed by its schema", async () => {
  const third = defineAgent(ai, { name: "a", output: { schema: ofZod3 } });
  const fourth = defineAgent(ai, { name: "b", state, initialState, output: { schema: ofZod4 } });
  expectTypeOf(third).toEqualTypeOf<GenkitAgent<Json, Task>>();
  expectTypeOf(fourth).toEqualTypeOf<GenkitAgent<Mood, Task>>();
  expectTypeOf(third.runText("x")).resolves.toEqualTypeOf<AgentOutput<Json, Task>>();
  expectTypeOf(fourth.streamText("x").output).resolves.toEqualTypeOf<AgentOutput<Mood, Task>>();
  expectTypeOf((await fourth.runText("x")).output).toEqualTypeOf<Task | undefined>();
  const known = definePromptAgent(ai, { name: "c", output: { schema: ofZod4 } });
  expectTypeOf(known).resolves.toEqualTypeOf<GenkitAgent<Json, Task>>();
});

test("without a schema it is any JSON", () => {
  const agent = defineAgent(ai, { name: "a" });
  expectTypeOf(agent).toEqualTypeOf<GenkitAgent>();
  const shaped = defineAgent(ai, { name: "a", output: { jsonSchema: { type: "object" } } });
  expectTypeOf(shaped).toEqualTypeOf<GenkitAgent>();
});

test("an agent's answer is typed by its prompt's schema, unless it has one of its own", () => {
  const prompt = ai.definePrompt({ name: "p", output: { schema: ofZod3 } });
  expectTypeOf(definePromptAgent(ai, { name: "a", prompt })).resolves.toEqualTypeOf<
    GenkitAgent<Json, Task>
  >();
  const schema = zod4.object({ done: zod4.boolean() });
  expectTypeOf(
    definePromptAgent(ai, { name: "b", prompt, state, initialState, output: { schema } }),
  ).resolves.toEqualTypeOf<GenkitAgent<Mood, { done: boolean }>>();
  const plain = ai.definePrompt({ name: "q", system: "Hi." });
  expectTypeOf(
    definePromptAgent(ai, { name: "c", prompt: plain }),
  ).resolves.toEqualTypeOf<GenkitAgent>();
  expectTypeOf(definePromptAgent(ai, { name: "p" })).resolves.toEqualTypeOf<GenkitAgent>();
});

test("an agent's input is that of its prompt", () => {
  const prompt = ai.definePrompt({
    name: "p",
    input: { schema: zod3.object({ city: zod3.string() }) },
    output: { schema: ofZod3 },
  });
  void definePromptAgent(ai, { name: "a", prompt, input: { city: "Rome" } });
  void definePromptAgent(ai, {
    name: "a",
    prompt,
    system: async (input) => {
      expectTypeOf(input).toEqualTypeOf<{ city: string }>();
      return input.city;
    },
  });
  // @ts-expect-error -- the city is text
  void definePromptAgent(ai, { name: "a", prompt, input: { city: 5 } });
});

test("what a session fills the prompt with is typed by the input's schema", async () => {
  const input = { schema: zod4.object({ city: zod4.string() }) };
  const agent = defineAgent(ai, { name: "a", input, state, initialState });
  void agent.runText("hi", { promptInput: { city: "Rome" } });
  void agent.chat({ promptInput: { city: "Rome" } });
  // @ts-expect-error -- the city is text
  void agent.runText("hi", { promptInput: { city: 5 } });
  // @ts-expect-error -- there is no city
  void agent.connect({ promptInput: {} });
  // @ts-expect-error -- the city is text
  void agent.chat({ promptInput: { city: 5 } });
  const prompt = ai.definePrompt({
    name: "p",
    input: { schema: zod3.object({ city: zod3.string() }) },
  });
  const known = await definePromptAgent(ai, { name: "b", prompt });
  // @ts-expect-error -- the city is text
  void known.streamText("hi", { promptInput: { city: 5 } });
  const plain = defineAgent(ai, { name: "c" });
  void plain.runText("hi", { promptInput: { anything: [1] } });
  expectTypeOf(agent).toExtend<LocalAgent<Mood>>();
});

test("an agent is an agent and one of Genkit's actions", () => {
  const agent = defineAgent(ai, { name: "a", state, initialState, output: { schema: ofZod4 } });
  expectTypeOf(agent).toExtend<LocalAgent<Mood, Task>>();
  expectTypeOf(agent).toExtend<Action>();
  const run = agent.run({}, { sessionId: "s" });
  expectTypeOf(run).resolves.toEqualTypeOf<AgentOutput<Mood, Task>>();
  // @ts-expect-error -- there is no such option
  void agent.run({}, { sessionID: "s" });
});

test("a schema that changes what it reads types what the model says: nothing is changed here", () => {
  const schema = zod4.object({ steps: zod4.string().transform(Number) });
  const agent = defineAgent(ai, { name: "a", output: { schema } });
  expectTypeOf(agent).toEqualTypeOf<GenkitAgent<Json, { steps: string }>>();
});

test("functions of a prompt know its input and state", () => {
  defineAgent(ai, {
    name: "a",
    state,
    initialState,
    input: { schema: zod4.object({ city: zod4.string() }) },
    system: async (input, moment) => {
      expectTypeOf(input).toEqualTypeOf<{ city: string }>();
      expectTypeOf(moment.state).toEqualTypeOf<Mood | undefined>();
      return input.city;
    },
  });
  defineAgent(ai, {
    name: "b",
    // @ts-expect-error -- the city is text
    input: { schema: zod4.object({ city: zod4.string() }), default: { city: 5 } },
  });
});

test("a tool's call knows the state it is told of", () => {
  expectTypeOf(toolCall({})).toEqualTypeOf<ToolCall | undefined>();
  expectTypeOf(toolCall<Mood>({})?.session.custom()).toEqualTypeOf<Mood | undefined>();
});
