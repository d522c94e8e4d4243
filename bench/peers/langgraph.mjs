// LangGraph's savers under a graph of one node that says what the model says. It brings no server; its own frames are written to a bare one.
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  Annotation,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { endFrames, serveTurns } from "../contenders/serve-turns.ts";
import { folderBytes } from "../folder-bytes.ts";

export const contender = {
  name: "langgraph",
  packages: ["@langchain/langgraph", "@langchain/core"],
  imports: ["@langchain/langgraph"],
  client: { from: "@langchain/langgraph-sdk", name: "Client" },
  stores: ["sqlite", "postgres"],
  lacks: {
    takeover: "no worker looks for what a dead process left; the caller invokes the graph again",
  },
  open,
};

async function open({ store, model, folder, url }) {
  const { saver, storedBytes, close } = await SAVERS[store]({ folder, url });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("say", async ({ messages }, { signal, writer }) => ({
      messages: [new AIMessage(await model.answer(messages.at(-1).content, writer, { signal }))],
    }))
    .addEdge(START, "say")
    .compile({ checkpointer: saver });
  const configOf = (sessionId) => ({ configurable: { thread_id: sessionId } });
  const inputOf = (text) => ({ messages: [new HumanMessage(text)] });
  return {
    turn: async (sessionId, text) => {
      await graph.invoke(inputOf(text), configOf(sessionId));
    },
    seed: async (sessionId, texts) => {
      const messages = texts.map((text, index) =>
        index % 2 === 0 ? new HumanMessage(text) : new AIMessage(text),
      );
      await graph.updateState(configOf(sessionId), { messages }, "say");
    },
    resume: async (sessionId) =>
      (await graph.getState(configOf(sessionId))).values.messages?.length ?? 0,
    storedBytes,
    serve: () =>
      serveTurns(async ({ sessionId, text }, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const options = { streamMode: "custom", encoding: "text/event-stream" };
        const frames = await graph.stream(inputOf(text), { ...configOf(sessionId), ...options });
        for await (const frame of frames) response.write(frame);
        const { values } = await graph.getState(configOf(sessionId));
        endFrames(response, values.messages.at(-1).content);
      }),
    changeState,
    begin: (sessionId, text) => {
      const controller = new AbortController();
      const options = { ...configOf(sessionId), signal: controller.signal, streamMode: "custom" };
      const read = async () => {
        for await (const chunk of await graph.stream(inputOf(text), options)) void chunk;
      };
      return { ended: read().catch(() => {}), abort: () => controller.abort() };
    },
    close,
  };
}

// Its nearest to a state that is shown live: each change is a step of the graph, which keeps it and tells it to streams.
async function changeState(state, changing) {
  const State = Annotation.Root({
    entries: Annotation({ reducer: (all, some) => ({ ...all, ...some }), default: () => ({}) }),
  });
  const graph = new StateGraph(State)
    .addNode("change", () => ({}))
    .addEdge(START, "change")
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: "state" } };
  await graph.invoke(state, config);
  await changing(async (entry, hits) => {
    const found = state.entries[entry];
    await graph.updateState(config, { entries: { [entry]: { ...found, hits } } }, "change");
  });
}

const SAVERS = {
  memory: async () => ({ saver: new MemorySaver(), close: () => {} }),
  sqlite: async ({ folder }) => {
    const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
    const saver = SqliteSaver.fromConnString(join(folder, "langgraph.db"));
    return { saver, storedBytes: async () => folderBytes(folder), close: () => saver.db.close() };
  },
  // The tables are in a schema of the folder's name.
  postgres: async ({ folder, url }) => {
    const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres");
    const { schemaBytes } = await import("../stored-bytes.ts");
    const schema = `langgraph_${folder.toLowerCase().replaceAll(/\W/g, "_").slice(-40)}`;
    const saver = PostgresSaver.fromConnString(url, { schema });
    await saver.setup();
    return { saver, storedBytes: () => schemaBytes(url, schema), close: () => saver.end() };
  },
};
