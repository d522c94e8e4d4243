import { setTimeout as sleep } from "node:timers/promises";
import { type AgentOptions, defineCustomAgent, type LocalAgent } from "turnkeep";

export const CHATTY_CHUNKS = 300;

/** Streams many numbered words, with pauses here and there. */
export function chattyAgent(options: Partial<AgentOptions<never>>): LocalAgent {
  const given = { name: "chatty", ...options } as AgentOptions<never>;
  return defineCustomAgent(given, async ({ session, respond }) => {
    await session.run(async (_, { signal }) => {
      for (let word = 0; word < CHATTY_CHUNKS; word += 1) {
        respond.text(`${word}`);
        if (word % 10 === 0) await sleep(8, undefined, { signal });
      }
      return { finishReason: "stop" };
    });
    return session.result();
  }) as unknown as LocalAgent;
}
