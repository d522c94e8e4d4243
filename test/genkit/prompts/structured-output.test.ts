import { type } from "arktype";
import { z as zod3 } from "genkit";
import type { LocalAgent } from "turnkeep";
import { type AnySchema, defineAgent, definePromptAgent } from "turnkeep/genkit";
import * as valibot from "valibot";
import { describe, expect, it } from "vitest";
import { z as zod4 } from "zod";
import { textsOf } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { errorOf } from "../../agent/authoring/turns.ts";
import { promptFolder } from "./prompt-folder.ts";
import { type ScriptedModel, scriptedGenkit, systemOf } from "../scripted-model.ts";

interface Task {
  readonly title: string;
  readonly steps: number;
}

const JSON_SCHEMA = {
  type: "object",
  properties: { title: { type: "string" }, steps: { type: "number" } },
  required: ["title", "steps"],
  additionalProperties: false,
};

const OUTPUTS: readonly (readonly [
  name: string,
  output: { readonly schema?: AnySchema<Task>; readonly jsonSchema?: typeof JSON_SCHEMA },
])[] = [
  ["zod 3", { schema: zod3.object({ title: zod3.string(), steps: zod3.number() }) }],
  ["zod 4", { schema: zod4.object({ title: zod4.string(), steps: zod4.number() }) }],
  ["arktype", { schema: type({ title: "string", steps: "number", "+": "reject" }) }],
  ["JSON Schema", { jsonSchema: JSON_SCHEMA }],
];

const TEA = { title: "tea", steps: 3 };

describe.each(OUTPUTS)("an answer in a shape given by %s", (_, output) => {
  it("is read from what the model says, also from a stream", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "planner", system: "Plan.", output });
    model.says(JSON.stringify(TEA), `Here: \`\`\`json\n${JSON.stringify(TEA)}\n\`\`\``);
    expect((await agent.runText("tea")).output).toEqual(TEA);
    expect((await agent.streamText("tea").output).output).toEqual(TEA);
    expect(model.lastRequest.output).toMatchObject({
      format: "json",
      schema: {
        type: "object",
        properties: { title: { type: "string" }, steps: { type: "number" } },
        required: expect.arrayContaining(["title", "steps"]),
      },
    });
  });

  it("fails the turn when it does not fit", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "planner", system: "Plan.", output });
    for (const said of ['{"title":"tea"}', '{"title":"tea","steps":"three"}', "no JSON at all"]) {
      model.says(said);
      const failed = await agent.runText("tea");
      expect(failed).toMatchObject({
        finishReason: "failed",
        error: { status: "INVALID_ARGUMENT", message: expect.stringContaining("chema") },
      });
      expect(failed).not.toHaveProperty("output");
      expect(textsOf(failed.state)).toEqual(["tea"]);
    }
  });
});

describe.each(STORES)("answers in a shape, over %s", (_, openStore) => {
  it("are read turn after turn, while the history stays plain", async () => {
    const { ai, model } = scriptedGenkit();
    const look = ai.defineTool({ name: "look", description: "Looks." }, async () => 1);
    const [, [, output]] = OUTPUTS as [unknown, (typeof OUTPUTS)[number]];
    const agent = defineAgent(ai, {
      name: "planner",
      store: await openStore(),
      system: "Plan.",
      tools: [look],
      output,
    });
    for (let turn = 0; turn < 6; turn += 1) {
      const task = { title: `task ${turn}`, steps: turn };
      if (turn % 2 === 1) model.asksFor({ name: "look", ref: `${turn}` });
      model.says(JSON.stringify(task));
      const answer = await agent.runText(`plan ${turn}`, { sessionId: "s" });
      expect(answer).toMatchObject({ finishReason: "stop", output: task });
    }
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.messages).toHaveLength(6 * 2 + 3 * 2);
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    expect(model.lastRequest.messages.filter(({ role }) => role === "system")).toHaveLength(1);
    expect(systemOf(model.lastRequest)).toBe("Plan.");
  });

  it("are read again when the same request is sent again, also after a restart", async () => {
    const store = await openStore();
    const define = (): { readonly agent: LocalAgent; readonly model: ScriptedModel } => {
      const { ai, model } = scriptedGenkit();
      const output = { jsonSchema: JSON_SCHEMA };
      return { agent: defineAgent(ai, { name: "planner", store, system: "Plan.", output }), model };
    };
    const first = define();
    first.model.says(JSON.stringify(TEA));
    const options = { sessionId: "s", requestId: "r" };
    expect((await first.agent.runText("tea", options)).output).toEqual(TEA);
    expect((await first.agent.runText("tea", options)).output).toEqual(TEA);
    expect((await define().agent.runText("tea", options)).output).toEqual(TEA);
  });
});

describe("an answer in a shape", () => {
  it("is what a prompt says that Genkit knows, or the agent says instead", async () => {
    const { ai, model } = scriptedGenkit({
      promptDir: promptFolder({
        filed: '---\noutput:\n  schema:\n    title: string\n---\n{{role "system"}}Plan.{{history}}',
      }),
    });
    ai.definePrompt({
      name: "coded",
      system: "Plan.",
      output: { schema: zod3.object({ title: zod3.string() }) },
    });
    for (const prompt of ["filed", "coded"]) {
      const agent = await definePromptAgent(ai, { name: prompt });
      model.says('{"title":"tea"}');
      expect((await agent.runText("tea")).output).toEqual({ title: "tea" });
    }
    const own = await definePromptAgent(ai, {
      name: "own",
      prompt: "coded",
      output: { jsonSchema: JSON_SCHEMA },
    });
    model.says(JSON.stringify(TEA));
    expect((await own.runText("tea")).output).toEqual(TEA);
  });

  it("may be in another format of Genkit's", async () => {
    const { ai, model } = scriptedGenkit();
    const list = defineAgent(ai, {
      name: "list",
      system: "List.",
      output: { format: "array", schema: zod4.array(zod4.object({ n: zod4.number() })) },
    });
    const mood = defineAgent(ai, {
      name: "mood",
      system: "Mood?",
      output: { format: "enum", schema: zod4.enum(["good", "bad"]) },
    });
    const plain = defineAgent(ai, { name: "plain", system: "Talk.", output: { format: "text" } });
    model.says('[{"n":1},{"n":2}]', "good", "hello");
    expect((await list.runText("go")).output).toEqual([{ n: 1 }, { n: 2 }]);
    expect((await mood.runText("go")).output).toBe("good");
    expect((await plain.runText("go")).output).toBe("hello");
  });

  it("is not there for an agent without one, and while a tool waits", async () => {
    const { ai, model } = scriptedGenkit({
      promptDir: promptFolder({ filed: '{{role "system"}}Talk.{{history}}' }),
    });
    const ask = ai.defineTool({ name: "ask", description: "Asks." }, async () => {
      throw Object.assign(new Error(), { name: "ToolInterruptError" });
    });
    const plain = defineAgent(ai, { name: "plain", system: "Talk." });
    const planner = defineAgent(ai, {
      name: "planner",
      system: "Plan.",
      tools: [ask],
      output: { jsonSchema: JSON_SCHEMA },
    });
    const filed = await definePromptAgent(ai, { name: "filed" });
    model.says('{"title":"tea"}', '{"title":"tea"}').asksFor({ name: "ask" });
    expect(await plain.runText("go")).not.toHaveProperty("output");
    expect(await filed.runText("go")).not.toHaveProperty("output");
    const waiting = await planner.runText("go");
    expect(waiting.finishReason).toBe("interrupted");
    expect(waiting).not.toHaveProperty("output");
  });

  it("keeps Genkit's instructions out of the history", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, {
      name: "planner",
      system: "Plan.",
      output: { jsonSchema: JSON_SCHEMA, instructions: "Say it as {schema}." },
    });
    model.says(JSON.stringify(TEA), JSON.stringify(TEA));
    const { state = {} } = await agent.runText("tea");
    const again = await agent.runText("more", { state });
    expect(JSON.stringify(model.lastRequest.messages).match(/Say it as/g)).toHaveLength(1);
    expect(JSON.stringify(again.state)).not.toContain("Say it as");
  });
});

describe("a schema", () => {
  it("of zod 4 checks the prompt's input", async () => {
    const { ai, model } = scriptedGenkit();
    const input = { schema: zod4.object({ city: zod4.string() }), default: { city: "Rome" } };
    const agent = defineAgent(ai, { name: "guide", input, system: "You know {{city}}." });
    model.says("ok");
    await agent.runText("hi", { promptInput: { city: "Oslo" } });
    expect(systemOf(model.lastRequest)).toBe("You know Oslo.");
    // @ts-expect-error -- the city is text
    const misfit = await errorOf(() => agent.runText("hi", { promptInput: { city: 5 } }));
    expect(misfit.status).toBe("INVALID_ARGUMENT");
    const wrong = { ...input, default: { city: 5 as unknown as string } };
    const error = await errorOf(() =>
      defineAgent(ai, { name: "wrong", input: wrong, system: "x" }),
    );
    expect(error.message).toContain("The default input does not fit");
  });

  it("that cannot be said as JSON Schema is refused, and the name stays free", async () => {
    const { ai } = scriptedGenkit();
    const schema = valibot.object({ title: valibot.string() });
    const asks = [
      () => defineAgent(ai, { name: "planner", system: "x", output: { schema } }),
      () => defineAgent(ai, { name: "planner", system: "x", input: { schema } }),
      () => defineAgent(ai, { name: "planner", system: "x", output: { schema: {} as never } }),
      () =>
        defineAgent(ai, { name: "planner", system: "x", input: { schema: (() => 1) as never } }),
      () =>
        defineAgent(ai, {
          name: "planner",
          system: "x",
          output: { schema: zod4.object({ big: zod4.bigint() }) as never },
        }),
    ];
    for (const ask of asks) {
      const error = await errorOf(ask);
      expect(error.status).toBe("INVALID_ARGUMENT");
      expect(error.message).toMatch(/^The (in|out)put schema of agent 'planner' cannot be turned/);
    }
    defineAgent(ai, { name: "planner", system: "x" });
  });

  it("of a tool that Genkit would not understand is refused, and the name stays free", async () => {
    const { ai, model } = scriptedGenkit();
    const define = (name: string, schemas: object): ReturnType<typeof ai.defineTool> =>
      ai.defineTool({ name, description: name, ...schemas }, async () => 1);
    const tools = [
      define("in", { inputSchema: zod4.object({ n: zod4.number() }) }),
      define("out", { outputSchema: zod4.number() }),
      define("other", { inputSchema: valibot.string() }),
    ];
    for (const tool of tools) {
      const error = await errorOf(() => defineAgent(ai, { name: "a", system: "x", tools: [tool] }));
      expect(error.status).toBe("INVALID_ARGUMENT");
      expect(error.message).toContain(
        `The schemas of tool '${tool.__action.name}' are not of zod 3`,
      );
    }
    // By its name it can only be looked at when the agent works.
    const agent = defineAgent(ai, { name: "a", system: "x", tools: ["in"] });
    model.asksFor({ name: "in", input: { n: "one" } });
    expect((await agent.runText("hi")).error).toMatchObject({
      status: "INVALID_ARGUMENT",
      message: expect.stringContaining("The schemas of tool 'in'"),
    });
  });
});
