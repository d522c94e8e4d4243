// Vercel's AI SDK. It keeps nothing itself: the list of messages is the application's, as its documentation has it.
import { generateText, pipeUIMessageStreamToResponse, streamText, toUIMessageStream } from "ai";
import { serveTurns } from "../contenders/serve-turns.ts";
import { languageModel } from "./scripted-language-model.mjs";

const NOTHING_KEPT = "keeps nothing: what is stored, and how, is the application's";

export const contender = {
  name: "ai-sdk",
  packages: ["ai"],
  imports: ["ai"],
  client: { from: "ai", name: "DefaultChatTransport" },
  stores: [],
  lacks: {
    storage: NOTHING_KEPT,
    resume: NOTHING_KEPT,
    state: "no state: data parts are sent whole, and kept by nobody",
    takeover: NOTHING_KEPT,
  },
  open,
};

const USAGE = {
  inputTokens: { total: 1, noCache: 1 },
  outputTokens: { total: 1, text: 1 },
};

async function open({ model }) {
  const spoken = languageModel(model, {
    version: "v4",
    finishReason: { unified: "stop", raw: undefined },
    usage: USAGE,
  });
  const sessions = new Map();
  const talkOf = (sessionId, text) => {
    const messages = sessions.get(sessionId) ?? [];
    sessions.set(sessionId, messages);
    messages.push({ role: "user", content: text });
    return messages;
  };
  return {
    turn: async (sessionId, text) => {
      const messages = talkOf(sessionId, text);
      const { response } = await generateText({ model: spoken, messages });
      messages.push(...response.messages);
    },
    seed: async (sessionId, texts) => {
      const roles = ["user", "assistant"];
      const messages = texts.map((content, index) => ({ role: roles[index % 2], content }));
      sessions.set(sessionId, messages);
    },
    resume: async (sessionId) => sessions.get(sessionId)?.length ?? 0,
    serve: () =>
      serveTurns(async ({ sessionId, text }, response) => {
        const messages = talkOf(sessionId, text);
        const { stream } = streamText({
          model: spoken,
          messages,
          onFinish: (finished) => void messages.push(...finished.response.messages),
        });
        await pipeUIMessageStreamToResponse({ response, stream: toUIMessageStream({ stream }) });
      }),
    begin: (sessionId, text) => {
      const controller = new AbortController();
      const { textStream } = streamText({
        model: spoken,
        messages: talkOf(sessionId, text),
        abortSignal: controller.signal,
      });
      const read = async () => {
        for await (const chunk of textStream) void chunk;
      };
      return { ended: read().catch(() => {}), abort: () => controller.abort() };
    },
    close: () => {},
  };
}
