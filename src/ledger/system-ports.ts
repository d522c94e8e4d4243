import type { Clock, Ports, SleepOptions, Timers } from "./ports.ts";
import { SortableIds } from "./sortable-ids.ts";

/* oxlint-disable no-restricted-properties, no-restricted-globals -- the one place where the real time, chance and timers come in */

export const systemClock: Clock = { now: () => Date.now() };

export const systemTimers: Timers = { sleep, after };

/** @internal The real time, chance, ids and timers. */
export const systemPorts: Ports = {
  random: { next: () => Math.random() },
  ids: new SortableIds(systemClock, (bytes) => crypto.getRandomValues(bytes)),
  timers: systemTimers,
};

function after(milliseconds: number, call: () => void): () => void {
  const timer: unknown = setTimeout(call, milliseconds);
  (timer as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer as number);
}

function sleep(milliseconds: number, { signal, inBackground }: SleepOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const wake = (): void => {
      signal?.removeEventListener("abort", stop);
      resolve();
    };
    const timer: unknown = setTimeout(wake, milliseconds);
    if (inBackground) (timer as { unref?: () => void }).unref?.();
    const stop = (): void => {
      clearTimeout(timer as number);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
