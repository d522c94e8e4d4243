import { createServer } from "node:http";
import type { MessageData } from "genkit";
import { FileSessionStore, genkit, InMemorySessionStore } from "genkit/beta";
import { folderBytes } from "../folder-bytes.ts";
import type { Changing, Contender, LiveState, OpenContender, OpenOptions } from "./contender.ts";
import { listening } from "./serve-turns.ts";

/** Genkit's custom agent, the cheapest of its agents: it calls no `generate`. Spoken to by `chat`, as its documentation does; behind HTTP by its own handler for Express. */
export const contender: Contender = {
  name: "genkit",
  packages: ["genkit"],
  imports: ["genkit/beta"],
  client: { from: "genkit/beta/client", name: "remoteAgent" },
  stores: ["file"],
  lacks: { takeover: "a dead worker's turn is shown as `expired`; nobody goes on with it" },
  open,
};

async function open({ store: name, model, folder = "" }: OpenOptions): Promise<OpenContender> {
  const openStore = (): InMemorySessionStore | FileSessionStore =>
    name === "memory" ? new InMemorySessionStore() : new FileSessionStore(folder);
  const store = openStore();
  const agent = genkit({}).defineCustomAgent(
    { name: "bench", store },
    async (session, { sendChunk, abortSignal }) => {
      await session.run(async ({ message }) => {
        const say = (text: string): void => sendChunk({ modelChunk: { content: [{ text }] } });
        const text = await model.answer(message?.content[0]?.text ?? "", say, {
          signal: abortSignal,
        });
        session.addMessages([{ role: "model", content: [{ text }] }]);
        return { finishReason: "stop" };
      });
      const message = session.getMessages().at(-1);
      return message ? { message } : {};
    },
  );
  return {
    turn: async (sessionId, text) => {
      const { finishReason } = await agent.chat({ sessionId }).send(text);
      if (finishReason !== "stop") throw new Error(`It ended as ${finishReason}.`);
    },
    seed: async (sessionId, texts) => {
      await store.saveSnapshot(undefined, () => ({
        sessionId,
        createdAt: new Date().toISOString(),
        status: "completed",
        state: { sessionId, messages: texts.map(messageOf) },
      }));
    },
    resume: async (sessionId) => {
      const reader = name === "memory" ? store : openStore();
      return (await reader.getSnapshot({ sessionId }))?.state?.messages?.length ?? 0;
    },
    storedBytes: async () => folderBytes(folder),
    serve: async () => {
      const { expressHandler } = await import("@genkit-ai/express");
      const { default: express } = await import("express");
      return await listening(
        createServer(express().use(express.json()).post("/", expressHandler(agent))),
      );
    },
    changeState,
    begin: (sessionId, text) => {
      // Only turns that were detached can be aborted.
      const task = agent.chat({ sessionId }).detach(text);
      return { ended: task, abort: async () => await (await task).abort() };
    },
    close: () => {},
  };
}

async function changeState(state: LiveState, changing: Changing): Promise<void> {
  const agent = genkit({}).defineCustomAgent<LiveState>(
    { name: "state", store: new InMemorySessionStore<LiveState>() },
    async (session) => {
      await session.run(async () => {
        session.updateCustom(() => state);
        await changing((entry, hits) => {
          session.updateCustom((custom) => {
            const entries = custom?.entries ?? {};
            const found = entries[entry] ?? { text: "", hits: 0 };
            return { entries: { ...entries, [entry]: { ...found, hits } } };
          });
        });
        return { finishReason: "stop" };
      });
      return {};
    },
  );
  await agent.run({ message: messageOf("change it") }, { init: { sessionId: "state" } });
}

function messageOf(text: string, index = 0): MessageData {
  return { role: index % 2 === 0 ? "user" : "model", content: [{ text }] };
}
