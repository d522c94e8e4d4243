import { defineCustomAgent, type LocalAgent } from "../../agent/index.ts";
import type { DemoParts } from "../demo-parts.ts";
import { stateOf } from "../json-shape.ts";
import { textOf } from "../script.ts";

export interface Night {
  readonly done: number;
  readonly of: number;
  readonly found: readonly string[];
}

const LOOK_MS = 700;
const USUAL = 20;
// Each look is a step, and a turn may have 64.
const MOST = 60;

const state = stateOf<Night>({
  type: "object",
  required: ["done", "of", "found"],
  properties: {
    done: { type: "integer" },
    of: { type: "integer" },
    found: { type: "array", items: { type: "string" } },
  },
});

/** Shows: work that takes long and tells how far it is, that goes on when nobody looks, and that another process finishes when this one dies. */
export function defineStargazer({ store, timers }: DemoParts): LocalAgent<Night> {
  return defineCustomAgent<Night>(
    {
      name: "stargazer",
      description: `Counts stars, slowly ("count 30 stars"): a long job with live progress. Detach it, close everything, come back.`,
      store,
      state,
      initialState: { done: 0, of: 0, found: [] },
      onBusy: "queue",
    },
    async ({ session, respond }) => {
      await session.run(async ({ message }, turn) => {
        const asked = Number(/\d+/.exec(textOf(message))?.[0] ?? USUAL);
        const of = Math.min(Math.max(asked, 1), MOST);
        session.setCustom({ done: 0, of, found: [] });
        for (let look = 1; look <= of; look += 1) {
          // A look is taken once: a process that takes over finds what was seen already, and goes on from there.
          // oxlint-disable-next-line no-await-in-loop
          const star = await turn.step(
            { name: "look", input: look, idempotent: true },
            async ({ signal }) => {
              await timers.sleep(LOOK_MS, { signal });
              return starAt(look);
            },
          );
          session.updateCustom((night) => ({
            ...night,
            done: look,
            found: [...night.found, star],
          }));
          respond.status({ looking: `${look} of ${of}`, star });
        }
        const words = `${of} stars, the last one ${starAt(of)}. The list is in sky.md.`;
        respond.artifact({
          name: "sky.md",
          parts: [{ text: listOf(session.custom()?.found ?? []) }],
        });
        respond.text(words);
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

const FIRST = ["Al", "Be", "Sir", "Ve", "Can", "Rig", "Den", "Mi"];
const LAST = ["tair", "ga", "ius", "opus", "el", "eb", "ra", "zar", "nath"];

function starAt(look: number): string {
  return `${FIRST[look % FIRST.length]}${LAST[(look * 5) % LAST.length]}`;
}

function listOf(stars: readonly string[]): string {
  return ["# The sky tonight", "", ...stars.map((star, index) => `${index + 1}. ${star}`), ""].join(
    "\n",
  );
}
