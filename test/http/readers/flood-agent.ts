import { setTimeout as sleep } from "node:timers/promises";
import { type AgentOptions, defineCustomAgent, type LocalAgent } from "turnkeep";

export const FLOOD_CHUNKS = 160;
export const FLOOD_CHARACTERS = 50_000;

/** Streams pieces that are all different, 8 MB of them unless told, at a pace of its own: at most 20 MB a second. */
export function floodAgent(
  options: Partial<AgentOptions<never>>,
  chunks: number = FLOOD_CHUNKS,
): LocalAgent {
  const given = { name: "flood", ...options } as AgentOptions<never>;
  return defineCustomAgent(given, async ({ session, respond }) => {
    await session.run(async () => {
      for (let number = 0; number < chunks; number += 1) {
        respond.text(`${number}:`.padEnd(FLOOD_CHARACTERS, String(number)));
        if (number % 4 === 0) await sleep(10);
      }
      return { finishReason: "stop" };
    });
    return session.result();
  }) as unknown as LocalAgent;
}
