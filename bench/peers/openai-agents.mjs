// OpenAI's agents with their session in memory, the only one of theirs that needs no service. They bring no server; their events are written to a bare one.
import { Agent, MemorySession, run, setTracingDisabled, Usage } from "@openai/agents";
import { endFrames, serveTurns, writeFrame } from "../contenders/serve-turns.ts";

const NO_STORE = "brings no store of its own that outlives the process";

export const contender = {
  name: "openai-agents",
  packages: ["@openai/agents"],
  imports: ["@openai/agents"],
  stores: [],
  lacks: {
    storage: NO_STORE,
    resume: NO_STORE,
    state: "the context is the caller's own object: nothing is streamed or kept",
    takeover: NO_STORE,
    bundle: "brings no client for pages",
  },
  open,
};

setTracingDisabled(true);

async function open({ model }) {
  const agent = new Agent({ name: "bench", model: spokenBy(model) });
  const sessions = new Map();
  const sessionOf = (sessionId) => {
    const found = sessions.get(sessionId) ?? new MemorySession({ sessionId });
    sessions.set(sessionId, found);
    return found;
  };
  return {
    turn: async (sessionId, text) => {
      await run(agent, text, { session: sessionOf(sessionId) });
    },
    seed: async (sessionId, texts) => {
      await sessionOf(sessionId).addItems(texts.map(itemOf));
    },
    resume: async (sessionId) => (await sessionOf(sessionId).getItems()).length,
    serve: () =>
      serveTurns(async ({ sessionId, text }, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const events = await run(agent, text, { session: sessionOf(sessionId), stream: true });
        for await (const event of events) {
          if (event.data?.type === "output_text_delta") writeFrame(response, event);
        }
        await events.completed;
        endFrames(response, events.finalOutput);
      }),
    begin: (sessionId, text) => {
      const controller = new AbortController();
      const { signal } = controller;
      const read = async () => {
        const session = sessionOf(sessionId);
        for await (const event of await run(agent, text, { session, stream: true, signal })) {
          void event;
        }
      };
      return { ended: read().catch(() => {}), abort: () => controller.abort() };
    },
    close: () => {},
  };
}

function spokenBy(model) {
  return {
    getResponse: async ({ input, signal }) => ({
      usage: new Usage(),
      output: [answerOf(await model.answer(heardIn(input), undefined, { signal }))],
    }),
    async *getStreamedResponse({ input, signal }) {
      let whole = "";
      for await (const delta of model.chunks(heardIn(input), signal)) {
        whole += delta;
        yield { type: "output_text_delta", delta };
      }
      const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
      yield { type: "response_done", response: { id: "1", usage, output: [answerOf(whole)] } };
    },
  };
}

function itemOf(text, index) {
  return index % 2 === 0 ? { type: "message", role: "user", content: text } : answerOf(text);
}

function answerOf(text) {
  const content = [{ type: "output_text", text }];
  return { type: "message", id: "1", role: "assistant", status: "completed", content };
}

function heardIn(input) {
  const content = typeof input === "string" ? input : input.at(-1).content;
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}
