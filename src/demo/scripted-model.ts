import type { Timers } from "../ledger/index.ts";
import type { Message, Part } from "../protocol/index.ts";
import type { Model } from "./model.ts";
import { type Line, sceneOf } from "./script.ts";

const WORD_MS = 30;

/** Says what the agent's script says, word by word. It is not a language model, and does not claim to be one. */
export function scriptedModel(timers: Timers): Model {
  return {
    name: "scripted",
    answer: async ({ system, messages, script, signal, onText }) => {
      const line = script(sceneOf(system, messages));
      if (typeof line === "string") {
        for (const word of line.split(/(?<=\s)/)) {
          onText(word);
          // One after the other: that is what makes it a stream.
          // oxlint-disable-next-line no-await-in-loop
          await timers.sleep(WORD_MS, { signal });
        }
      }
      return { message: messageOf(line, messages.length) };
    },
  };
}

function messageOf(line: Line, place: number): Message {
  const content: readonly Part[] =
    typeof line === "string"
      ? [{ text: line }]
      : line.map(({ tool, input }, index) => ({
          toolRequest: { name: tool, ref: `${place}-${index}`, input },
        }));
  return { role: "model", content };
}
