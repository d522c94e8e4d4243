import { EventEmitter, once } from "node:events";

const opened = new EventEmitter();
const tickets = new Map<string, number>();

/** Waits until somebody lets one through, or did so before. */
export async function pass(name: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const left = tickets.get(name) ?? 0;
    if (left > 0) {
      tickets.set(name, left - 1);
      return;
    }
    await once(opened, name, { signal });
  }
}

/** Lets one through, now or whenever it comes. */
export function letPass(name: string): void {
  tickets.set(name, (tickets.get(name) ?? 0) + 1);
  opened.emit(name);
}
