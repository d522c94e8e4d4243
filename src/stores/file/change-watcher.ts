import { type FSWatcher, watch } from "node:fs";
import { clearInterval, setInterval } from "node:timers";
import type { SessionKey } from "../../ledger/index.ts";
import type { WakeUps } from "../wake-ups.ts";
import type { SessionHeads } from "./session-heads.ts";
import type { StoreFolder } from "./store-folder.ts";

interface Watched {
  readonly key: SessionKey;
  readonly session: string;
  readonly signal: AbortSignal;
  seen: string;
  generation: string | undefined;
  files: FSWatcher | undefined;
}

export interface ChangeWatcherOptions {
  readonly folder: StoreFolder;
  readonly heads: SessionHeads;
  readonly wakeUps: WakeUps;
  /** How often to look by itself; 0 for never. */
  readonly pollIntervalMs: number;
}

/** Notices, while somebody watches a session, what other processes write to it: at once where the system tells, else at the next poll. */
export class ChangeWatcher {
  readonly #folder: StoreFolder;
  readonly #heads: SessionHeads;
  readonly #wakeUps: WakeUps;
  readonly #pollIntervalMs: number;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ folder, heads, wakeUps, pollIntervalMs }: ChangeWatcherOptions) {
    this.#folder = folder;
    this.#heads = heads;
    this.#wakeUps = wakeUps;
    this.#pollIntervalMs = pollIntervalMs;
  }

  /** Until the signal aborts, or the function is called that it returns. */
  add(key: SessionKey, signal: AbortSignal): () => void {
    const session = this.#folder.sessionOf(key);
    const watched: Watched = {
      key,
      session,
      signal,
      seen: "",
      generation: undefined,
      files: undefined,
    };
    this.#watched.add(watched);
    this.#look(watched);
    if (this.#pollIntervalMs > 0) {
      this.#timer ??= setInterval(() => this.#lookAtAll(), this.#pollIntervalMs).unref();
    }
    return () => this.#remove(watched);
  }

  close(): void {
    for (const watched of this.#watched) this.#remove(watched);
  }

  #lookAtAll(): void {
    for (const watched of this.#watched) {
      if (watched.signal.aborted) this.#remove(watched);
      else this.#look(watched);
    }
  }

  #look(watched: Watched): void {
    const head = this.#findHead(watched.session);
    const seen = head === undefined ? "" : `${head.place.generation} ${head.seq}`;
    this.#listenTo(watched, head?.place.generation);
    if (seen === watched.seen) return;
    watched.seen = seen;
    this.#wakeUps.wake(watched.key);
  }

  #findHead(session: string): ReturnType<SessionHeads["find"]> {
    try {
      return this.#heads.find(session);
    } catch {
      // Wake-ups are hints; whoever reads meets the error itself.
      return undefined;
    }
  }

  #listenTo(watched: Watched, generation: string | undefined): void {
    if (watched.generation === generation) return;
    watched.files?.close();
    watched.generation = generation;
    watched.files =
      generation === undefined ? undefined : listen(generation, () => this.#look(watched));
  }

  #remove(watched: Watched): void {
    watched.files?.close();
    this.#watched.delete(watched);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** The system may have no watchers left, or none at all; then there is only the timer. */
function listen(path: string, call: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, { persistent: false }, call);
    return watcher.on("error", () => watcher.close());
  } catch {
    return undefined;
  }
}
