import { defineCustomAgent, type LocalAgent } from "../../agent/index.ts";
import type { Timers } from "../../ledger/index.ts";
import type { DemoParts } from "../demo-parts.ts";
import { stateOf } from "../json-shape.ts";
import { textOf } from "../script.ts";
import { type Adventure, BEGINNING, playMove, ROOMS } from "./cellar-game.ts";

const LETTERS_MS = 15;

const state = stateOf<Adventure>({
  type: "object",
  required: ["room", "bag", "lit", "moves", "won"],
  properties: {
    room: { type: "string", enum: Object.keys(ROOMS) },
    bag: { type: "array", items: { type: "string" } },
    lit: { type: "boolean" },
    moves: { type: "integer" },
    won: { type: "boolean" },
  },
});

/** Shows: a loop of one's own with typed state and no model at all. Go back and branch: every move is a snapshot. */
export function defineCellar({ store, timers }: DemoParts): LocalAgent<Adventure> {
  return defineCustomAgent<Adventure>(
    {
      name: "cellar",
      description: `A small adventure ("look"): a loop of its own with typed state. Every move is a snapshot to go back to.`,
      store,
      state,
      initialState: BEGINNING,
      onBusy: "queue",
    },
    async ({ session, respond }) => {
      await session.run(async ({ message }, { signal }) => {
        const { next, words } = playMove(session.custom() ?? BEGINNING, textOf(message));
        session.setCustom(next);
        await speak(words, { respond: respond.text, timers, signal });
        session.addMessages({
          role: "model",
          content: [{ text: words }],
          metadata: { model: "none" },
        });
        return { finishReason: "stop" };
      });
      return session.result();
    },
  );
}

async function speak(
  words: string,
  {
    respond,
    timers,
    signal,
  }: {
    readonly respond: (text: string) => void;
    readonly timers: Timers;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  for (const word of words.split(/(?<=\s)/)) {
    respond(word);
    // oxlint-disable-next-line no-await-in-loop
    await timers.sleep(LETTERS_MS, { signal });
  }
}
