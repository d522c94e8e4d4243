import { z } from "genkit";
import { defineAgent, definePromptAgent } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { textsOf, user } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { errorOf } from "../../agent/authoring/turns.ts";
import { databaseFile, openShared } from "../../agent/life/stores.ts";
import { linesOf, scriptedGenkit, systemOf } from "../scripted-model.ts";
import { guide, type Guide } from "./guide.ts";
import { promptFolder } from "./prompt-folder.ts";

describe.each(STORES)("the input of a prompt, over %s", (_, openStore) => {
  it("is the session's own when it was started with one, and stays it", async () => {
    const { agent, model } = guide({ store: await openStore(), input: { city: "Rome" } });
    model.says("1", "2", "3");
    await agent.runText("hi", { sessionId: "s", promptInput: { city: "Oslo" } });
    await agent.runText("hi", { sessionId: "s" });
    await agent.runText("hi", { sessionId: "s", promptInput: { city: "Oslo" } });
    expect(model.requests.map(systemOf)).toEqual(Array(3).fill("You know Oslo."));
    expect((await agent.getLatestSnapshot("s")).state?.promptInput).toEqual({ city: "Oslo" });
  });

  it("is refused when the session has another, and not ignored", async () => {
    const { agent, model } = guide({ store: await openStore(), input: { city: "Rome" } });
    model.says("1", "2");
    await agent.runText("hi", { sessionId: "s" });
    const refused = await agent.runText("more", { sessionId: "s", promptInput: { city: "Lima" } });
    expect(refused).toMatchObject({
      finishReason: "failed",
      error: {
        status: "FAILED_PRECONDITION",
        message: expect.stringContaining('Session "s" was started with another'),
      },
    });
    expect(model.requests).toHaveLength(1);
    await agent.runText("again", { sessionId: "s" });
    expect(linesOf(model.lastRequest)).toEqual([
      "system: You know Rome.",
      "user: hi",
      "model: 1",
      "user: again",
    ]);
  });

  it("is the agent's own otherwise, kept with the session as it was then", async () => {
    const store = await openStore();
    const before = guide({ store, input: { city: "Rome" } });
    before.model.says("1");
    await before.agent.runText("hi", { sessionId: "s" });
    expect((await before.agent.getLatestSnapshot("s")).state?.promptInput).toEqual({
      city: "Rome",
    });
    const after = guide({ store, input: { city: "Paris" } });
    after.model.says("2", "3");
    await after.agent.runText("hi", { sessionId: "s" });
    await after.agent.runText("hi", { sessionId: "new" });
    expect(after.model.requests.map(systemOf)).toEqual(["You know Rome.", "You know Paris."]);
  });

  it("is refused when it does not fit, before anything is kept", async () => {
    const { agent } = guide({ store: await openStore(), input: { city: "Rome" } });
    const misfit = { sessionId: "s", promptInput: { city: 5 } };
    const asks = [
      () => agent.runText("hi", misfit),
      () => agent.detach(user("hi"), misfit),
      () => agent.streamText("hi", misfit).output,
      () => agent.connect(misfit).sendText("hi"),
      () => agent.run({ ...user("hi"), promptInput: {} }, { sessionId: "s" }),
    ];
    for (const ask of asks) {
      const error = await errorOf(ask);
      expect(error.status).toBe("INVALID_ARGUMENT");
      expect(error.message).toMatch(/^The prompt input does not fit the prompt's schema: /);
    }
    expect((await agent.listSessions()).sessions).toEqual([]);
  });

  it("goes with a fork", async () => {
    const { agent, model } = guide({ store: await openStore(), input: { city: "Rome" } });
    model.says("1", "2");
    const { snapshotId = "" } = await agent.runText("hi", {
      sessionId: "s",
      promptInput: { city: "Oslo" },
    });
    await agent.fork(snapshotId, { sessionId: "forked" });
    await agent.runText("hi", { sessionId: "forked" });
    expect(model.requests.map(systemOf)).toEqual(Array(2).fill("You know Oslo."));
  });

  it("must be brought by the session when the agent has none, and can be brought later", async () => {
    const { agent, model } = guide({ store: await openStore() });
    const output = await agent.runText("hi", { sessionId: "s" });
    expect(output).toMatchObject({ finishReason: "failed", error: { status: "INVALID_ARGUMENT" } });
    expect(model.requests).toEqual([]);
    model.says("1");
    const again = await agent.runText("hello", { sessionId: "s", promptInput: { city: "Oslo" } });
    expect(again.finishReason).toBe("stop");
    expect(linesOf(model.lastRequest)).toEqual(["system: You know Oslo.", "user: hello"]);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["hello", "1"]);
  });
});

describe("the input of a prompt", () => {
  it("is there after a restart", async () => {
    const file = databaseFile();
    const before = guide({ store: await openShared(file), input: { city: "Rome" } });
    before.model.says("1");
    await before.agent.runText("hi", { sessionId: "s", promptInput: { city: "Oslo" } });
    await before.agent.close();
    const after = guide({ store: await openShared(file), input: { city: "Rome" } });
    after.model.says("2");
    await after.agent.runText("hi", { sessionId: "s" });
    expect(systemOf(after.model.lastRequest)).toBe("You know Oslo.");
  });

  it("is there for whoever takes a detached turn over", async () => {
    const file = databaseFile();
    const limits = { leaseMs: 5000 };
    const first = guide({ store: await openShared(file), limits, input: { city: "Rome" } });
    const { agent } = first;
    const asked = new Promise<void>((resolve) => first.model.hangs(() => resolve()));
    const { snapshotId } = await agent.detach(user("hi"), {
      sessionId: "s",
      promptInput: { city: "Oslo" },
    });
    await asked;
    await agent.close({ handOverMs: 10 });
    const second = guide({ store: await openShared(file), limits, input: { city: "Rome" } });
    second.model.says("done");
    const { state, finishReason } = await second.agent.waitFor(snapshotId);
    expect(finishReason).toBe("stop");
    expect(systemOf(second.model.lastRequest)).toBe("You know Oslo.");
    expect(state?.promptInput).toEqual({ city: "Oslo" });
    await second.agent.close();
  });

  it("travels with the state that a client holds", async () => {
    const { agent, model } = guide({ input: { city: "Rome" } });
    model.says("1", "2");
    const { state = {} } = await agent.runText("hi", { promptInput: { city: "Oslo" } });
    expect(state.promptInput).toEqual({ city: "Oslo" });
    await agent.runText("hi", { state });
    expect(systemOf(model.lastRequest)).toBe("You know Oslo.");
  });

  it("is brought by the first input of a connection only", async () => {
    const { agent, model } = guide({ input: { city: "Rome" } });
    model.says("1", "2");
    const connection = agent.connect({ promptInput: { city: "Oslo" } });
    await connection.sendText("a");
    await connection.sendText("b");
    const { state } = await connection.output();
    expect(model.requests.map(systemOf)).toEqual(Array(2).fill("You know Oslo."));
    expect(textsOf(state)).toEqual(["a", "1", "b", "2"]);
  });

  it("fails at the definition when the agent's own does not fit", async () => {
    const { ai } = scriptedGenkit();
    const misfit = { default: { city: 5 } as unknown as Guide };
    const schemas = [
      { schema: z.object({ city: z.string() }) },
      { jsonSchema: { type: "object", properties: { city: { type: "string" } } } },
    ];
    for (const schema of schemas) {
      const error = await errorOf(() =>
        defineAgent(ai, { name: "guide", input: { ...schema, ...misfit }, system: "{{city}}" }),
      );
      expect(error.status).toBe("INVALID_ARGUMENT");
      expect(error.message).toMatch(/^The default input does not fit the prompt's schema: city /);
    }
    // The name is still free.
    defineAgent(ai, { name: "guide", system: "Hi." });
  });

  it("is the file's own default, unless the agent or the session says otherwise", async () => {
    const { ai, model } = scriptedGenkit({
      promptDir: promptFolder({
        guide: `---
input:
  schema:
    city: string
  default:
    city: Rome
---
{{role "system"}}You know {{city}}.{{history}}`,
      }),
    });
    const plain = await definePromptAgent(ai, { name: "guide" });
    const own = await definePromptAgent(ai, {
      name: "own",
      prompt: "guide",
      input: { city: "Paris" },
    });
    model.says("1", "2", "3");
    await plain.runText("hi");
    await own.runText("hi");
    await own.runText("hi", { promptInput: { city: "Oslo" } });
    expect(model.requests.map(systemOf)).toEqual([
      "You know Rome.",
      "You know Paris.",
      "You know Oslo.",
    ]);
  });

  it("is completed by a file that has a default for some of it", async () => {
    const { ai, model } = scriptedGenkit({
      promptDir: promptFolder({
        guide: `---
input:
  schema:
    city: string
    tone: string
  default:
    tone: dry
---
{{role "system"}}You know {{city}}, in a {{tone}} way.{{history}}`,
      }),
    });
    const open = await definePromptAgent(ai, { name: "guide" });
    model.says("1", "2");
    await open.runText("hi", { promptInput: { city: "Oslo" } });
    await open.runText("hi", { promptInput: { city: "Rome", tone: "warm" } });
    expect(model.requests.map(systemOf)).toEqual([
      "You know Oslo, in a dry way.",
      "You know Rome, in a warm way.",
    ]);
    expect((await open.runText("hi")).error?.status).toBe("INVALID_ARGUMENT");
  });

  it("overrides that of a prompt which Genkit knows as well", async () => {
    const { ai, model } = scriptedGenkit();
    ai.definePrompt({
      name: "guide",
      input: { schema: z.object({ city: z.string() }) },
      system: "You know {{city}}.",
    });
    const agent = await definePromptAgent(ai, { name: "guide", input: { city: "Rome" } });
    model.says("1", "2");
    await agent.runText("hi", { promptInput: { city: "Oslo" } });
    await agent.runText("hi");
    expect(model.requests.map(systemOf)).toEqual(["You know Oslo.", "You know Rome."]);
    // @ts-expect-error -- there is no city
    const error = await errorOf(() => agent.runText("hi", { promptInput: { town: "Oslo" } }));
    expect(error.status).toBe("INVALID_ARGUMENT");
  });
});
