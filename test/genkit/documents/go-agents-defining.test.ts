import { join } from "node:path";
import { z } from "genkit/beta";
import { AgentRegistry, buildCustomAgent } from "turnkeep";
import {
  defineAgent,
  defineCustomAgent,
  definePromptAgent,
  fromGenkitChunk,
  fromGenkitMessages,
  toGenkitMessages,
} from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { textOf, textsOf } from "../../agent/agents.ts";
import { openStage } from "./document-model.ts";

// Document 001, the change that brings agents to Genkit for Go: how its examples define agents.

const PROMPTS = join(import.meta.dirname, "prompts");

describe("001: Inline-prompt Agent", () => {
  it("streams an answer given under the prompt's system text, then ends the turn", async () => {
    const { ai, model } = openStage();
    model.will("A language, matey.");
    const chat = defineAgent(ai, {
      name: "chat",
      model: model.name,
      system: "Talk like an old sailor.",
      store: new MemoryStore(),
    });
    const connection = chat.connect();
    await connection.sendText("Why gophers?");
    const heard: string[] = [];
    for await (const { modelChunk, turnEnd } of connection.receive()) {
      if (modelChunk) heard.push(textOf(modelChunk));
      if (turnEnd) break;
    }
    connection.close();
    expect(heard).toEqual(["A ", "language, ", "matey."]);
    expect(model.shown).toEqual(["system: Talk like an old sailor.", "user: Why gophers?"]);
    await connection.done;
  });

  it("registers the prompt under the agent's name", async () => {
    const { ai, model } = openStage();
    defineAgent(ai, { name: "chat", model: model.name, system: "Be brief." });
    const { messages } = await ai.prompt("chat").render({});
    expect(messages).toMatchObject([{ role: "system", content: [{ text: "Be brief." }] }]);
  });

  it("infers the state's type, and lets no other type beside it", () => {
    const { ai, model } = openStage();
    const state = z.object({ visits: z.number() });
    defineAgent(ai, {
      name: "typed",
      model: model.name,
      state,
      initialState: { visits: 0 },
      transformState: (seen) => ({ ...seen, custom: { visits: (seen.custom?.visits ?? 0) + 1 } }),
    });
    defineAgent(ai, {
      name: "mistyped",
      model: model.name,
      state,
      initialState: { visits: 0 },
      // @ts-expect-error: a state of another shape.
      transformState: (seen) => ({ ...seen, custom: { visits: "many" } }),
    });
  });
});

describe("001: Registry-prompt Agent", () => {
  it("takes the prompt of its own name, with the default input of the prompt's file", async () => {
    const { ai, model } = openStage({ promptDir: PROMPTS });
    // Defining it is asynchronous here, since Genkit may have to read the file first.
    const chat = await definePromptAgent(ai, { name: "chat", store: new MemoryStore() });
    expect(textOf((await chat.runText("hello")).message)).toBe("answer 1");
    expect(model.shown).toEqual([
      "system: Speak like a friendly clerk and be brief.",
      "user: hello",
    ]);
  });

  it("serves several agents with one prompt, each with an input of its own", async () => {
    const { ai, model } = openStage({ promptDir: PROMPTS });
    const inputs = { pirate: "a rude pirate", poet: "a shy poet" };
    for (const [name, personality] of Object.entries(inputs)) {
      const store = new MemoryStore();
      const input = { personality };
      const agent = await definePromptAgent(ai, { name, prompt: "chat", input, store });
      const { sessionId } = await agent.runText("hello");
      await agent.runText("and again", { sessionId });
      // Rendered in every turn.
      expect(model.shown[0]).toBe(`system: Speak like ${personality} and be brief.`);
      expect(model.shown).toHaveLength(4);
    }
  });

  it("refuses at definition an input that does not fit, and a prompt that is not there", async () => {
    const { ai } = openStage({ promptDir: PROMPTS });
    const input = { personality: 7 };
    // It rejects where Go panics.
    await expect(
      definePromptAgent(ai, { name: "robot", prompt: "chat", input }),
    ).rejects.toMatchObject({ status: "INVALID_ARGUMENT" });
    await expect(definePromptAgent(ai, { name: "nobody" })).rejects.toMatchObject({
      status: "NOT_FOUND",
    });
  });
});

describe("001: Custom Agent", () => {
  it("runs its own loop around a streamed generation and says how each turn ended", async () => {
    const { ai, model } = openStage();
    model.will("Go is compiled.");
    const chat = defineCustomAgent(
      ai,
      { name: "chat", store: new MemoryStore() },
      async ({ session, respond }) => {
        await session.run(async (_, { signal }) => {
          const { stream, response } = ai.generateStream({
            model: model.name,
            messages: toGenkitMessages(session.messages()),
            abortSignal: signal,
          });
          for await (const chunk of stream) respond.modelChunk(fromGenkitChunk(chunk));
          const { messages, finishReason } = await response;
          session.setMessages(fromGenkitMessages(messages));
          return { finishReason };
        });
        return session.result();
      },
    );
    const { chunks, output } = chat.streamText("Why gophers?", { sessionId: "talk" });
    const seen: unknown[] = [];
    for await (const { modelChunk, turnEnd } of chunks) {
      seen.push(modelChunk ? textOf(modelChunk) : turnEnd?.finishReason);
    }
    expect(seen).toEqual(["Go ", "is ", "compiled.", "stop"]);
    expect(textOf((await output).message)).toBe("Go is compiled.");
    const { finishReason, state } = await chat.getLatestSnapshot("talk");
    expect(finishReason).toBe("stop");
    expect(textsOf(state)).toEqual(["Why gophers?", "Go is compiled."]);
  });

  it("answers with artifacts alone when it chooses to", async () => {
    const { ai } = openStage();
    const painter = defineCustomAgent(ai, { name: "painter" }, async ({ session, respond }) => {
      await session.run(() => {
        respond.artifact({ name: "sea", parts: [{ text: "blue" }] });
        session.addMessages({ role: "model", content: [{ text: "painted" }] });
      });
      return { artifacts: session.artifacts(), finishReason: "other" };
    });
    const { message, artifacts, finishReason } = await painter.runText("paint");
    expect(message).toBeUndefined();
    expect(artifacts).toEqual([{ name: "sea", parts: [{ text: "blue" }] }]);
    expect(finishReason).toBe("other");
  });

  it("can be built without being registered anywhere, and be registered later", async () => {
    // Only plain agents can: one of `turnkeep/genkit` is made for one Genkit.
    const built = buildCustomAgent({ name: "helper" }, async ({ session }) => {
      await session.run(() =>
        session.addMessages({ role: "model", content: [{ text: "at your service" }] }),
      );
      return session.result();
    });
    const registry = new AgentRegistry();
    expect(registry.list()).toEqual([]);
    registry.register(built);
    const found = registry.get("helper");
    expect(textOf((await found?.runText("hi"))?.message)).toBe("at your service");
  });
});
