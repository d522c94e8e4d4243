import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineCustomAgent, type LocalAgent, type SessionStore, type TurnContext } from "turnkeep";

/** Where in its turn the process dies. */
export const DEATHS = [
  "before-step",
  "in-step-before-effect",
  "in-step-after-effect",
  "after-step",
  "streaming",
  "before-end",
] as const;
export type Death = (typeof DEATHS)[number];

export interface ErrandOptions {
  readonly store: SessionStore;
  /** A line for each effect that a step had: its name and its key. */
  readonly effects: string;
  readonly leaseMs: number;
  /** Whether its second step may run twice. */
  readonly idempotent?: boolean;
  /** Called at each place where a process may die. */
  readonly pass: (place: Death, turn: TurnContext) => void | Promise<void>;
}

/** An agent whose turn streams and takes three steps that leave a mark in a file. */
export function errandAgent(options: ErrandOptions): LocalAgent {
  const { store, effects, leaseMs, idempotent = false, pass } = options;
  return defineCustomAgent(
    { name: "errand", store, limits: { leaseMs } },
    async ({ session, respond }) => {
      await session.run(async (_, turn) => {
        const act = async (name: string, isWatched: boolean): Promise<string> =>
          await turn.step({ name, input: { name }, idempotent: isWatched && idempotent }, async (step) => {
            if (isWatched) await pass("in-step-before-effect", turn);
            appendFileSync(effects, `${name} ${step.idempotencyKey}\n`);
            if (isWatched) await pass("in-step-after-effect", turn);
            return `${name} done`;
          });
        await act("pack", false);
        await pass("before-step", turn);
        const paid = await act("pay", true);
        await pass("after-step", turn);
        for (let word = 0; word < 6; word += 1) {
          respond.text(`word ${word} `);
          await sleep(10);
          if (word === 3) await pass("streaming", turn);
        }
        await act("mail", false);
        session.addMessages({ role: "model", content: [{ text: paid }] });
        await pass("before-end", turn);
        return { finishReason: "stop" };
      });
      return session.result();
    },
  );
}
