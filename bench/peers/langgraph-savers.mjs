// LangGraph's own savers under a graph of one node that says what it is told to. Plain JavaScript, because its packages are installed on demand.
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

/** A conversation on LangGraph's SQLite saver. */
export async function openSqlite(file) {
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const saver = SqliteSaver.fromConnString(file);
  return talkOn(saver, async () => saver.db.close());
}

/** The same on its Postgres saver. The tables are in the schema that the address names. */
export async function openPostgres(url, schema) {
  const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres");
  const saver = PostgresSaver.fromConnString(url, { schema });
  await saver.setup();
  return talkOn(saver, () => saver.end());
}

function talkOn(saver, close) {
  const config = { configurable: { thread_id: "conversation" } };
  let answer = "";
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("say", () => ({ messages: [new AIMessage(answer)] }))
    .addEdge(START, "say")
    .compile({ checkpointer: saver });
  return {
    take: async (question, reply) => {
      answer = reply;
      await graph.invoke({ messages: [new HumanMessage(question)] }, config);
    },
    resume: async () => (await graph.getState(config)).values.messages.length,
    close,
  };
}
