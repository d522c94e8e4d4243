// Mastra's agent with its memory. Like all others it shows the model the whole talk, not just its default of the last messages. Its stream is written to a bare server, which is less work than its own.
import { join } from "node:path";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import { Memory } from "@mastra/memory";
import { endFrames, serveTurns, writeFrame } from "../contenders/serve-turns.ts";
import { folderBytes } from "../folder-bytes.ts";
import { languageModel } from "./scripted-language-model.mjs";

export const contender = {
  name: "mastra",
  packages: ["@mastra/core", "@mastra/memory", "@mastra/libsql"],
  imports: ["@mastra/core/agent", "@mastra/memory"],
  stores: ["libsql"],
  lacks: {
    state: "no state that streams: working memory is a text that a tool call rewrites whole",
    takeover: "a turn ends with its process; only workflows can be restarted, by the caller",
    bundle: "its client for pages is a package of its own that is not among these",
  },
  open,
};

const WHOLE_TALK = 1_000_000;
const RESOURCE = "bench";

async function open({ store, model, folder }) {
  const storage = await openStorage(store, folder);
  const memory = new Memory({ storage, options: { lastMessages: WHOLE_TALK } });
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  const spoken = languageModel(model, { version: "v2", finishReason: "stop", usage });
  const agent = new Agent({ id: "bench", name: "bench", instructions: "", model: spoken, memory });
  const memoryOf = (sessionId) => ({ memory: { thread: sessionId, resource: RESOURCE } });
  return {
    turn: async (sessionId, text) => {
      await agent.generate(text, memoryOf(sessionId));
    },
    seed: async (sessionId, texts) => {
      await memory.createThread({ threadId: sessionId, resourceId: RESOURCE });
      // It sorts by time.
      const begin = Date.now() - texts.length;
      const messages = texts.map((text, index) => ({
        id: `${sessionId}-${index}`,
        threadId: sessionId,
        resourceId: RESOURCE,
        role: index % 2 === 0 ? "user" : "assistant",
        createdAt: new Date(begin + index),
        content: { format: 2, parts: [{ type: "text", text }] },
      }));
      await memory.saveMessages({ messages });
    },
    resume: async (sessionId) => {
      const query = { threadId: sessionId, resourceId: RESOURCE, perPage: false };
      return (await memory.recall(query)).messages.length;
    },
    storedBytes: async () => folderBytes(folder),
    serve: () =>
      serveTurns(async ({ sessionId, text }, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const { fullStream, text: whole } = await agent.stream(text, memoryOf(sessionId));
        for await (const chunk of fullStream) {
          if (chunk.type === "text-delta") writeFrame(response, chunk);
        }
        endFrames(response, await whole);
      }),
    begin: (sessionId, text) => {
      const controller = new AbortController();
      const options = { ...memoryOf(sessionId), abortSignal: controller.signal };
      const read = async () => {
        const { fullStream } = await agent.stream(text, options);
        for await (const chunk of fullStream) void chunk;
      };
      return { ended: read().catch(() => {}), abort: () => controller.abort() };
    },
    close: () => {},
  };
}

async function openStorage(store, folder) {
  if (store === "memory") return new InMemoryStore();
  const { LibSQLStore } = await import("@mastra/libsql");
  const storage = new LibSQLStore({ id: "bench", url: `file:${join(folder, "mastra.db")}` });
  await storage.init();
  return storage;
}
