import { setTimeout as sleep } from "node:timers/promises";

/** Waits until it holds, for whatever runs outside of a test too. @throws Error when it does not in time. */
export async function waitFor(holds: () => boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > deadline)
      throw new Error(`Not within ${withinMs} ms: ${holds.toString()}`);
    await sleep(5);
  }
}
