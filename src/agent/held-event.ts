import type { NumberedEvent, RunEvent } from "../ledger/index.ts";

const CHUNK_START = '{"type":"chunk","chunk":';

/** The JSON of the event that says a chunk. */
export function chunkEvent(chunkJson: string): string {
  return `${CHUNK_START}${chunkJson}}`;
}

/** An event as its JSON, which is smaller to hold than what it says, and says it only to those who ask. */
export class HeldEvent implements NumberedEvent {
  readonly seq: number;
  readonly #text: string;

  constructor(seq: number, text: string) {
    this.seq = seq;
    this.#text = text;
  }

  get event(): RunEvent {
    return JSON.parse(this.#text) as RunEvent;
  }

  /** `undefined` for an event that says no chunk. */
  get chunkJson(): string | undefined {
    const text = this.#text;
    return text.startsWith(CHUNK_START) ? text.slice(CHUNK_START.length, -1) : undefined;
  }
}
