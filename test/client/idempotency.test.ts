import { describe, expect, test } from "vitest";
import { textsOf } from "../agent/agents.ts";
import { STORES } from "../agent/authoring/stores.ts";
import { agentOf, model } from "../agent/authoring/turns.ts";
import { chooseSeed, SeededRandom } from "../chaos/seeded-random.ts";
import { behindHttp } from "./remote.ts";

const SESSIONS = 50;
const INPUTS = 10;

describe.each(STORES)("over %s", (_name, openStore) => {
  test(`of ${SESSIONS * INPUTS} inputs each is done once, though three of ten answers are lost`, async () => {
    const seed = chooseSeed(process.env["TURNKEEP_SEED"]);
    const random = new SeededRandom(seed);
    const done: string[] = [];
    let lost = 0;
    const local = agentOf({ store: await openStore() }, ({ session }, _turn, text) => {
      done.push(text);
      session.addMessages(model(`re: ${text}`));
    });
    const agent = await behindHttp(local, {
      attempts: 40,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (init.method !== "POST" || !random.chance(0.3)) return response;
        lost += 1;
        await response.body?.cancel();
        throw new TypeError("The answer was lost.");
      },
    });
    const talk = async (session: number): Promise<void> => {
      for (let input = 0; input < INPUTS; input += 1) {
        const text = `${session}-${input}`;
        // Every other one is the first of a session that the server names.
        const named = input % 2 === 0 ? { sessionId: `s${session}` } : {};
        const { message } = await agent.runText(text, named);
        expect(message?.content).toEqual([{ text: `re: ${text}` }]);
      }
    };
    await Promise.all(Array.from({ length: SESSIONS }, (_, session) => talk(session)));
    expect(lost, `seed ${seed}`).toBeGreaterThan(0);
    expect(done).toHaveLength(SESSIONS * INPUTS);
    expect(new Set(done).size).toBe(SESSIONS * INPUTS);
    const { state } = await local.getLatestSnapshot("s7");
    expect(textsOf(state)).toEqual(
      [0, 2, 4, 6, 8].flatMap((input) => [`7-${input}`, `re: 7-${input}`]),
    );
  });
});
