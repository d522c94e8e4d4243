import { setTimeout as sleep } from "node:timers/promises";
import { type AgentOptions, defineCustomAgent, type LocalAgent } from "turnkeep";

export const FLOOD_CHUNKS = 160;
const FLOOD_CHARACTERS = 50_000;

/** Streams 8 MB in pieces that are all different, at a pace of its own. */
export function floodAgent(options: Partial<AgentOptions<never>>): LocalAgent {
  const given = { name: "flood", ...options } as AgentOptions<never>;
  return defineCustomAgent(given, async ({ session, respond }) => {
    await session.run(async () => {
      for (let number = 0; number < FLOOD_CHUNKS; number += 1) {
        respond.text(`${number}:`.padEnd(FLOOD_CHARACTERS, String(number)));
        if (number % 4 === 0) await sleep(10);
      }
      return { finishReason: "stop" };
    });
    return session.result();
  }) as unknown as LocalAgent;
}
