import { z } from "genkit/beta";
import { defineGeneratorAgent as defineOwnGeneratorAgent } from "turnkeep";
import { defineGeneratorAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { textOf, textsOf } from "../../agent/agents.ts";
import { genkit, googleAI, model, postgresSessionStore } from "./agent-primitive-ai.ts";
import { openStage, toolRequest } from "./document-model.ts";

// Document 003, the proposal of an agent primitive: loops over a stream of inputs, with Genkit's generate inside. Its two examples follow, with the same
// calls in the same order; only the imports are ours.

const ai = genkit({
  plugins: [googleAI()],
});

const myAgent = ai.defineAgent(
  { name: "myAgent" },
  async function* ({ sendChunk, inputStream, init }) {
    let messages = init?.messages ?? [];

    for await (const input of inputStream) {
      const response = await ai.generate({
        messages: [...messages, input],
        model: googleAI.model("gemini-2.5-flash"),
        onChunk: (chunk) => sendChunk({ sessionId: init?.sessionId, chunk }),
      });

      messages = response.messages;

      if (response.interrupts.length > 0) {
        return {
          sessionId: init?.sessionId,
          messages,
        };
      }
    }

    return {
      sessionId: init?.sessionId,
      messages,
      artifacts: [{ name: "report", parts: [] }],
    };
  },
);

const persistentAgent = ai.defineAgent(
  {
    name: "persistentAgent",
    store: postgresSessionStore({ connectionString: "..." }),
  },
  async function* ({ sendChunk, inputStream, init }) {
    let messages = init?.messages ?? [];

    for await (const input of inputStream) {
      if (!input) break;

      const response = await ai.generate({
        messages: [...messages, input],
        model: googleAI.model("gemini-2.5-flash"),
        onChunk: (chunk) => sendChunk({ sessionId: init?.sessionId, chunk }),
      });
      messages = response.messages;
    }

    return {
      sessionId: init?.sessionId,
      messages,
    };
  },
);

describe("003, 3: Basic Example (Manual Loop)", () => {
  it("answers, streams, and hands the client the state it brings back next time", async () => {
    const { chunks, output } = myAgent.streamText("hello");
    const heard: string[] = [];
    const sessions = new Set<string | undefined>();
    for await (const { modelChunk, sessionId } of chunks) {
      if (modelChunk) heard.push(textOf(modelChunk));
      sessions.add(sessionId);
    }
    expect(heard).toEqual(["answer ", "1"]);
    const first = await output;
    expect([...sessions]).toEqual([first.sessionId]);
    expect(first.artifacts).toEqual([{ name: "report", parts: [] }]);
    expect(first.messages).toEqual(first.state?.messages);

    const second = await myAgent.runText("again", { state: first.state! });
    expect(textsOf(second.state)).toEqual(["hello", "answer 1", "again", "answer 3"]);
    expect(second.sessionId).toBe(first.sessionId);
    await expect(myAgent.runText("hi", { sessionId: "s" })).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
    });
  });

  it("takes several inputs on one connection", async () => {
    const connection = myAgent.connect();
    await connection.sendText("one");
    await connection.sendText("two");
    const { state } = await connection.output();
    expect(textsOf(state)).toEqual(["one", "answer 1", "two", "answer 3"]);
  });
});

describe("003, 3: Example with Store (Server-Side Persistence)", () => {
  it("finds the history in the store and saves it with each turn", async () => {
    const connection = persistentAgent.connect({ sessionId: "s" });
    await connection.sendText("hello");
    for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    const { state: early } = await persistentAgent.getLatestSnapshot("s");
    expect(textsOf(early)).toEqual(["hello", "answer 1"]);
    const first = await connection.output();
    expect(first.state).toBeUndefined();
    const second = await persistentAgent.runText("again", { sessionId: "s" });
    expect(model.shown).toEqual(["user: hello", "model: answer 1", "user: again"]);
    const { state } = await persistentAgent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["hello", "answer 1", "again", "answer 3"]);
    expect(second.messages).toEqual(state?.messages);
  });
});

describe("003, 3: interrupts", () => {
  // The example with tools; the answer to an interrupt is the input of the next turn.
  function definePayer(hasStore: boolean) {
    const stage = openStage({ model: "googleai/gemini-2.5-flash" });
    stage.ai.defineInterrupt({ name: "pay", description: "Asks.", inputSchema: z.object({}) });
    const agent = defineGeneratorAgent(
      stage.ai,
      { name: "payer", ...(hasStore && { store: new MemoryStore() }) },
      async function* ({ sendChunk, inputStream, init }) {
        let messages = init?.messages ?? [];
        for await (const input of inputStream) {
          const response = await stage.ai.generate({
            messages: [...messages, input],
            model: stage.model.name,
            tools: ["pay"],
            onChunk: (chunk) => sendChunk({ sessionId: init?.sessionId, chunk }),
          });
          messages = response.messages;
          if (response.interrupts.length > 0) return { sessionId: init?.sessionId, messages };
        }
        return { sessionId: init?.sessionId, messages };
      },
    );
    return { ...stage, agent };
  }

  it("ends the turn as interrupted when a tool waits for a person", async () => {
    const stage = definePayer(false);
    stage.model.will([toolRequest("pay", {})]);
    const { state, artifacts, finishReason } = await stage.agent.runText("pay it");
    expect(finishReason).toBe("interrupted");
    expect(artifacts).toBeUndefined();
    const [request] = state?.messages?.at(-1)?.content ?? [];
    expect(request?.toolRequest?.name).toBe("pay");
    expect(request?.metadata).toHaveProperty("interrupt");
  });

  it("passes the person's answer to the model", async () => {
    const { agent, model: payer } = definePayer(true);
    payer.will([toolRequest("pay", {}, "1")], "Paid.");
    await agent.runText("pay it", { sessionId: "s" });
    const respond = [{ toolResponse: { name: "pay", ref: "1", output: "yes" } }];
    const output = await agent.run({ resume: { respond } }, { sessionId: "s" });
    expect(output).toMatchObject({ finishReason: "stop", message: { role: "model" } });
    expect(payer.requests.at(-1)?.messages.at(-1)).toMatchObject({
      role: "tool",
      content: respond,
    });
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.messages?.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
  });

  it("can be left to Genkit's own resume, which runs tools again as well", async () => {
    const stage = openStage({ model: "googleai/gemini-2.5-flash" });
    const confirm = stage.ai.defineTool(
      { name: "confirm", description: "Asks once.", inputSchema: z.object({}) },
      async (_, { interrupt, resumed }) => (resumed ? "confirmed" : interrupt()),
    );
    const agent = defineGeneratorAgent(
      stage.ai,
      { name: "confirmer", store: new MemoryStore() },
      async function* ({ inputStream, init }) {
        for await (const input of inputStream) {
          const response = await stage.ai.generate({
            messages: input.resume ? init.messages : [...init.messages, input],
            ...(input.resume && { resume: input.resume }),
            model: stage.model.name,
            tools: [confirm],
          });
          return { messages: response.messages };
        }
        return {};
      },
    );
    stage.model.will([toolRequest("confirm", {}, "1")], "Done.");
    const asked = await agent.runText("do it", { sessionId: "s" });
    expect(asked.finishReason).toBe("interrupted");
    const toolRequestPart = { toolRequest: { name: "confirm", ref: "1", input: {} } };
    const restart = [{ ...toolRequestPart, metadata: { resumed: true } }];
    const done = await agent.run({ resume: { restart } }, { sessionId: "s" });
    expect(done).toMatchObject({ finishReason: "stop" });
    expect(textOf(done.message)).toBe("Done.");
    const tool = done.messages?.find(({ role }) => role === "tool");
    expect(tool?.content[0]?.toolResponse).toMatchObject({ output: "confirmed" });
  });
});

describe("003, 4: Schemas", () => {
  it("starts with messages, state and artifacts, and ends with them", async () => {
    const seen: unknown[] = [];
    const agent = defineOwnGeneratorAgent<number>(
      { name: "counter" },
      async function* ({ inputStream, init }) {
        seen.push(init.messages.length, init.artifacts.length, init.state);
        const messages = [...init.messages];
        for await (const input of inputStream) messages.push(input);
        const state = (init.state ?? 0) + 1;
        return { messages, state, artifacts: [{ name: `${state}`, parts: [] }] };
      },
    );
    const first = await agent.runText("a");
    const { chunks, output } = agent.streamText("b", { state: first.state! });
    // What changed in the state is streamed as patches.
    const patches: unknown[] = [];
    for await (const { customPatch } of chunks) if (customPatch) patches.push(...customPatch);
    expect(patches).toEqual([{ op: "replace", path: "", value: 2 }]);
    const { state } = await output;
    expect(seen).toEqual([0, 0, undefined, 1, 1, 1]);
    expect(state?.custom).toBe(2);
    expect(state?.artifacts).toEqual([{ name: "2", parts: [] }]);
    expect(textsOf(state as never)).toEqual(["a", "b"]);
  });
});

describe("a generator agent on Genkit", () => {
  it("is known to Genkit's registry, which talks to it as to any agent", async () => {
    const stage = openStage();
    const agent = defineGeneratorAgent(
      stage.ai,
      { name: "registered", store: new MemoryStore() },
      async function* ({ inputStream }) {
        for await (const input of inputStream) yield { chunk: { content: input.content as never } };
      },
    );
    const action = await stage.ai.registry.lookupAction("/agent/registered");
    expect(action.__action.metadata).toMatchObject({ agent: agent.metadata, bidi: true });
    expect(await stage.ai.registry.lookupAction("/agent-snapshot/registered")).toBeDefined();
    const input = { message: { role: "user", content: [{ text: "hello" }] } };
    const { result } = await action.run(input, { init: { sessionId: "s" } } as never);
    expect(result).toMatchObject({ sessionId: "s", message: { content: [{ text: "hello" }] } });
    expect(() =>
      defineGeneratorAgent(stage.ai, { name: "registered" }, async function* () {}),
    ).toThrow("already");
  });

  it("has its session as the current one in Genkit's tools, in every step of the loop", async () => {
    const stage = openStage();
    const seen: unknown[] = [];
    const look = stage.ai.defineTool(
      { name: "look", description: "Looks.", inputSchema: z.object({}) },
      async () => {
        seen.push(stage.ai.currentSession().sessionId);
        return "seen";
      },
    );
    const agent = defineGeneratorAgent(
      stage.ai,
      { name: "looker", store: new MemoryStore() },
      async function* ({ inputStream, init }) {
        for await (const input of inputStream) {
          yield { status: "looking" };
          const messages = [...init.messages, input];
          const response = await stage.ai.generate({
            messages,
            model: stage.model.name,
            tools: [look],
          });
          return { messages: response.messages };
        }
        return {};
      },
    );
    stage.model.will([toolRequest("look", {})], "done");
    await agent.runText("look", { sessionId: "s" });
    expect(seen).toEqual(["s"]);
  });
});
