import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";

export interface Gate {
  readonly promise: Promise<void>;
  readonly open: () => void;
}

/** Something to wait for until a test opens it. */
export function gateOf(): Gate {
  let open = (): void => {};
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}

// So long that only what never comes is late, on a machine with other work as well.
const LATEST_MS = 100_000;

/** Waits until it holds; fails the test when it never does. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  { withinMs = LATEST_MS }: { readonly withinMs?: number } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline)
      expect.fail(`It did not hold within ${withinMs} ms: ${holds.toString()}`);
    await sleep(5);
  }
}

/** A lease that no test waits for the end of: what happens meanwhile does not happen because it is over. */
export const LONG_LEASE_MS = 3_600_000;

/** Settles when the signal aborts, and then with its reason. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export { sleep };
