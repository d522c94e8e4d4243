import { setTimeout } from "node:timers/promises";
import { defineCustomAgent, type LocalAgent, type SessionStore } from "turnkeep";
import { findWords } from "./find-words.ts";
import { BLANK_MEMORY, type Memory, memorySchema } from "./memory.ts";

const WORD_MS = 25;

/** An agent that answers by script, word by word, and remembers what it is told. */
export function defineCompanion(store: SessionStore): LocalAgent<Memory> {
  return defineCustomAgent(
    {
      name: "companion",
      store,
      state: memorySchema,
      initialState: BLANK_MEMORY,
      onBusy: "queue",
    },
    async ({ session, respond }) => {
      await session.run(async ({ message }, { signal }) => {
        const said = (message?.content ?? []).map(({ text = "" }) => text).join("");
        let answer = "";
        session.updateCustom((memory) => {
          answer = findWords(said, memory);
        });
        for (const word of answer.split(/(?<=\s)/)) {
          respond.text(word);
          await setTimeout(WORD_MS, undefined, { signal });
        }
        session.addMessages({ role: "model", content: [{ text: answer }] });
        return { finishReason: "stop" };
      });
      return session.result();
    },
  );
}
