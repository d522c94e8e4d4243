import type { HeadRecord } from "./head-record.ts";
import type { SessionStore, View } from "./session-store.ts";

const NO_ROWS: View["rows"] & View["tails"] = new Map<string, never>();

/**
 * What somebody saw last of a session, by reading it or by writing it. To build on it saves a read; it may be old by then, which a commit finds out and an
 * answer would not.
 */
export class SeenSession {
  #version: number | undefined;
  #record: HeadRecord | null = null;

  note(version: number, record: HeadRecord | null): void {
    this.#version = version;
    this.#record = record;
  }

  /** The record without any rows, in a store whose time is known without asking; once, since it is old when somebody has built on it. */
  take(store: SessionStore): View | undefined {
    const version = this.#version;
    if (version === undefined || store.clock === undefined) return undefined;
    this.#version = undefined;
    return { version, record: this.#record, rows: NO_ROWS, tails: NO_ROWS, now: store.clock.now() };
  }
}
