import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  defineCustomAgent,
  type LocalAgent,
  type RunSession,
  type SessionStore,
  type TurnContext,
} from "turnkeep";

/** Where in its turn a process may die. */
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
  /** A line for each effect that a step had: its session, its name and its key. */
  readonly effects: string;
  readonly leaseMs: number;
  /** Called at each place where a process may die. */
  readonly pass: (place: Death, session: RunSession, turn: TurnContext) => void | Promise<void>;
}

/**
 * An agent whose turn streams and takes three steps that leave a mark in a file. In a session whose name ends with "idempotent" the second of them may run
 * twice.
 */
export function errandAgent({ store, effects, leaseMs, pass }: ErrandOptions): LocalAgent {
  const options = { name: "errand", store, limits: { leaseMs } };
  return defineCustomAgent(options, async ({ session, respond }) => {
    await session.run(async (_, turn) => {
      const idempotent = session.sessionId.endsWith("idempotent");
      const act = async (
        name: string,
        at = async (__: Death): Promise<void> => {},
      ): Promise<string> =>
        await turn.step({ name, input: { name }, idempotent }, async ({ idempotencyKey }) => {
          await at("in-step-before-effect");
          appendFileSync(effects, `${session.sessionId} ${name} ${idempotencyKey}\n`);
          await at("in-step-after-effect");
          return `${name} done`;
        });
      const at = async (place: Death): Promise<void> => await pass(place, session, turn);
      await act("pack");
      await at("before-step");
      const paid = await act("pay", at);
      await at("after-step");
      for (let word = 0; word < 6; word += 1) {
        respond.text(`word ${word} `);
        await sleep(10);
        if (word === 3) await at("streaming");
      }
      await act("mail");
      session.addMessages({ role: "model", content: [{ text: paid }] });
      await at("before-end");
      return { finishReason: "stop" };
    });
    return session.result();
  });
}
