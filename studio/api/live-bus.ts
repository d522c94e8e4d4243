import type { QueryClient } from "@tanstack/react-query";
import { apiUrl, ask } from "./request.ts";

export type Connection = "connecting" | "connected" | "lost";

const RETRY_MS = 2000;
const CHANGED = "Changed";

/**
 * Hears what changes on the server. Browsers have few connections for one server, so only one tab listens, and tells the
 * others.
 */
export class LiveBus {
  readonly #client: QueryClient;
  readonly #channel = new BroadcastChannel(`turnkeep-studio:${document.baseURI}`);
  readonly #listeners = new Set<() => void>();
  readonly #closed = new AbortController();
  #connection: Connection = "connecting";

  constructor(client: QueryClient) {
    this.#client = client;
    this.#channel.addEventListener("message", ({ data }: MessageEvent<unknown>) =>
      this.#hear(data),
    );
  }

  get connection(): Connection {
    return this.#connection;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  start(): void {
    const { signal } = this.#closed;
    this.#channel.postMessage("who");
    const lead = (): Promise<void> => this.#lead(signal);
    navigator.locks
      .request(`turnkeep-studio:${document.baseURI}`, { signal }, lead)
      .catch(() => {});
  }

  async #lead(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // One stream after the other.
      // oxlint-disable-next-line no-await-in-loop
      await this.#listen(signal).catch(() => this.#tell("lost"));
      // oxlint-disable-next-line no-await-in-loop
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  async #listen(signal: AbortSignal): Promise<void> {
    // The page is there before it listens.
    const { decodeSse } = await import("turnkeep/protocol");
    const response = await ask(apiUrl("events"), { signal });
    if (response.body === null) return;
    for await (const { event } of decodeSse(response.body, { signal })) {
      if (event === "ready") this.#tell("connected");
      else if (event?.endsWith(CHANGED)) this.#tell(event);
    }
  }

  #tell(word: string): void {
    this.#channel.postMessage(word);
    this.#hear(word);
  }

  #hear(word: unknown): void {
    if (word === "who" && this.#connection !== "connecting") {
      this.#channel.postMessage(this.#connection);
    }
    if (word === "connected" || word === "lost") this.#become(word);
    if (typeof word === "string" && word.endsWith(CHANGED)) {
      this.#become("connected");
      void this.#client.invalidateQueries({ queryKey: [word.slice(0, -CHANGED.length)] });
    }
  }

  #become(connection: Connection): void {
    if (connection === this.#connection) return;
    const wasLost = this.#connection === "lost";
    this.#connection = connection;
    // Whatever was said meanwhile was missed.
    if (connection === "connected" && wasLost) void this.#client.invalidateQueries();
    for (const listener of this.#listeners) listener();
  }
}
