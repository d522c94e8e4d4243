import { genkit } from "genkit";
import { defineAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { scriptedModel } from "./genkit/scripted-model.ts";

// An agent that asks another in the background. Its model starts a task, goes on, and later waits for it.
const ai = genkit({});
const store = new MemoryStore();

const researcher = defineAgent(ai, {
  name: "researcher",
  description: "Looks things up.",
  model: scriptedModel(ai, ({ text }) => `Everything about ${text}.`, "researcher-model"),
  store,
});

let task = "";
const editor = defineAgent(ai, {
  name: "editor",
  // Not a real one: it starts a task, remembers its name, and waits for it when it is told to.
  model: scriptedModel(
    ai,
    ({ text, results: [result] }) => {
      const { task: started, status, answer } = (result ?? {}) as Record<string, string>;
      if (started) task = started;
      if (status) return `${status}: ${answer ?? "..."}`;
      return text.startsWith("wait")
        ? { tool: "waitForTask", input: { task } }
        : { tool: "researcher", input: { task: text } };
    },
    "editor-model",
  ),
  agents: [{ agent: researcher, background: true }],
  store,
});

const chat = editor.chat({ sessionId: "page" });
for (const text of ["tea", "wait for it"]) {
  const { message } = await chat.send(text);
  console.log(message?.content[0]?.text);
}
await Promise.all([editor.close(), researcher.close()]);
