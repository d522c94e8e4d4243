import type { AgentOptions, LocalAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { agentOf, collect, model } from "../agent/authoring/turns.ts";
import { type Frame, frameOf } from "../http/frames.ts";
import { run, served, STREAMED, turn as genkitTurn } from "../http/serving.ts";
import { reflecting, turn } from "./reflecting.ts";

const CANARY = "CANARY";

interface Case {
  confidential: boolean;
}

type Options = Partial<AgentOptions<Case>>;

/** Shows nothing of a confidential case, as its state says. */
const BY_CUSTOM: Options = {
  transformState: (state) => {
    if (!state.custom?.confidential) return state;
    const messages = (state.messages ?? []).filter(({ role }) => role !== "model");
    const heard = messages.map(({ role }) => ({ role, content: [{ text: "hidden" }] }));
    return { ...state, artifacts: [], messages: heard };
  },
  transformStream: (chunk) => (chunk.modelChunk ? undefined : chunk),
};

/** Shows nothing of a case as soon as its first message says so. */
const BY_MESSAGES: Options = {
  transformState: (state) => {
    const [first] = state.messages ?? [];
    return first?.content[0]?.text === "confidential" ? { ...state, ...NOTHING } : state;
  },
};

const NOTHING = { artifacts: [], messages: [] };

/** Its first message decides whether the case is confidential; later ones stream an artifact and change no state. */
function keeper(options: Options): LocalAgent<Case> {
  return agentOf<Case>(
    { name: "echo", store: new MemoryStore(), ...options },
    async (tools, _, text) => {
      const { session } = tools;
      if (text === "confidential" || text === "open") {
        session.updateCustom(() => ({ confidential: text === "confidential" }));
        return { finishReason: "stop" };
      }
      session.addArtifacts({ name: "report", parts: [{ text: CANARY }] });
      session.addMessages(model(CANARY));
      return { finishReason: "stop" };
    },
  );
}

/** Every way that a stream, or what is left of one, comes out. */
const WAYS: Readonly<Record<string, (agent: LocalAgent<Case>) => Promise<string>>> = {
  "a stream in process": async (agent) => {
    const { chunks, output } = agent.streamText("go", { sessionId: "s" });
    return JSON.stringify([await collect(chunks), await output]);
  },
  "an attach in process": async (agent) => {
    const { runId, output } = agent.streamText("go", { sessionId: "s" });
    await output;
    return JSON.stringify(await collect(agent.attach(runId)));
  },
  "an attach from the middle": async (agent) => {
    const { runId, output } = agent.streamText("go", { sessionId: "s" });
    await output;
    return JSON.stringify(await collect(agent.attach(runId, { after: 1 })));
  },
  "an answer": async (agent) => JSON.stringify(await agent.runText("go", { sessionId: "s" })),
  "the second turn of a connection": async (agent) => {
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("hush");
    await connection.sendText("go");
    connection.close();
    return JSON.stringify([await collect(connection.receive()), await connection.output()]);
  },
  "the native stream": async (agent) => {
    const { ask } = await served([agent]);
    const body = run("go", { init: { sessionId: "s" } });
    const { text } = await ask("/agents/echo/runs", { body, headers: STREAMED });
    return text;
  },
  "the native stream, read again": async (agent) => {
    const { ask, open } = await served([agent]);
    const body = run("go", { init: { sessionId: "s" } });
    const { data } = await frameOf(
      await open("/agents/echo/runs", { body, headers: STREAMED }),
      "run",
    );
    const { text } = await ask(`/agents/echo/runs/${data.runId}/events`, { headers: STREAMED });
    return text;
  },
  "the Genkit stream": async (agent) => {
    const { ask } = await served([agent]);
    const body = genkitTurn("go", { sessionId: "s" });
    return (await ask("/agents/echo", { body, headers: STREAMED })).text;
  },
  "the reflection run stream": async (agent) => {
    const { runId, output } = agent.streamText("go", { sessionId: "s" });
    await output;
    return (await reflecting([agent]).ask(`runs/${runId}/stream`)).text;
  },
  "a streamed execute": async (agent) => {
    const body = turn("go", { init: { sessionId: "s" }, stream: true });
    return (await reflecting([agent]).ask("agents/echo/execute", { body })).text;
  },
};

describe.each([
  ["the custom state", BY_CUSTOM],
  ["an earlier message", BY_MESSAGES],
])("a transform that decides by %s", (_, options) => {
  test.each(Object.keys(WAYS))(
    "hides what an earlier turn made confidential in %s",
    async (way) => {
      const agent = keeper({
        ...options,
        transformStream: (chunk) => (chunk.modelChunk ? undefined : chunk),
      });
      await agent.runText("confidential", { sessionId: "s" });
      expect(await WAYS[way]!(agent)).not.toContain(CANARY);
    },
  );

  test.each(Object.keys(WAYS))("shows what is open in %s", async (way) => {
    const agent = keeper(options);
    await agent.runText("open", { sessionId: "s" });
    expect(await WAYS[way]!(agent)).toContain(CANARY);
  });
});

test("a transform sees the initial state of a session before anything changed it", async () => {
  for (const confidential of [true, false]) {
    const agent = keeper({ ...BY_CUSTOM, initialState: () => ({ confidential }) });
    const { runId, chunks, output } = agent.streamText("go", { sessionId: "s" });
    const live = JSON.stringify(await collect(chunks));
    await output;
    const late = JSON.stringify(await collect(agent.attach(runId)));
    for (const text of [live, late]) expect(text.includes(CANARY)).toBe(!confidential);
  }
});

test("a transform sees the state that a client carries", async () => {
  for (const confidential of [true, false]) {
    const agent = keeper({ ...BY_CUSTOM, store: undefined });
    const state = { custom: { confidential } };
    const { chunks, output } = agent.streamText("go", { state });
    const text = JSON.stringify(await collect(chunks));
    await output;
    expect(text.includes(CANARY)).toBe(!confidential);
  }
});

test("a transform sees the state of turns whose events are not stored", async () => {
  const agent = keeper({ ...BY_CUSTOM, events: "process" });
  await agent.runText("confidential", { sessionId: "s" });
  expect(await WAYS["a stream in process"]!(agent)).not.toContain(CANARY);
});

test("an artifact is not streamed from a log that tells no start of the turn", async () => {
  const store = new MemoryStore();
  const { transformState: _, ...raw } = BY_CUSTOM;
  const { runId, output } = keeper({ ...raw, store }).streamText("go", { sessionId: "s" });
  await output;
  const late = JSON.stringify(await collect(keeper({ ...BY_CUSTOM, store }).attach(runId)));
  expect(late).not.toContain(CANARY);
});

test("the reflection run stream hides what a running turn was told by its state", async () => {
  for (const [first, text] of [
    ["confidential", "hidden"],
    ["open", "secret plan"],
  ] as const) {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const agent = agentOf<Case>(
      { name: "echo", store: new MemoryStore(), ...BY_CUSTOM },
      async ({ session, respond }, _, said) => {
        if (said === first) session.updateCustom(() => ({ confidential: said === "confidential" }));
        else {
          respond.status("begun");
          await ended;
        }
        return { finishReason: "stop" };
      },
    );
    await agent.runText(first, { sessionId: "s" });
    const working = agent.streamText("secret plan", { sessionId: "s" });
    await working.chunks[Symbol.asyncIterator]().next();
    const stream = await reflecting([agent]).open(`runs/${working.runId}/stream`);
    const { data }: Frame = await frameOf(stream, "run");
    expect(data.input.content).toEqual([{ text }]);
    end();
    await working.output;
  }
});
