import { onAbort } from "../protocol/index.ts";

/* oxlint-disable no-restricted-properties, no-restricted-globals -- the one place where the real time, chance and timers come in */

/** What the client takes from its surroundings. Tests hand in their own. */
export interface ClientPorts {
  /** Milliseconds since some moment. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Fresh and not to be guessed. */
  readonly newId: () => string;
  /** Calls back once, later. Returns how to call it off. */
  readonly after: (milliseconds: number, call: () => void) => () => void;
}

export const systemPorts: ClientPorts = {
  now: () => Date.now(),
  random: () => Math.random(),
  newId,
  after: (milliseconds, call) => {
    const timer: unknown = setTimeout(call, milliseconds);
    return () => clearTimeout(timer as number);
  },
};

// `crypto.randomUUID` is missing on pages that were not loaded safely.
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Resolves after the time; rejects with the signal's own reason when that comes first. */
export function sleep(
  { after }: ClientPorts,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = after(milliseconds, () => {
      forget?.();
      resolve();
    });
    const forget = signal && onAbort(signal, stop);
  });
}
