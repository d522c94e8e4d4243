import { seqOfEventKey } from "./row-key.ts";
import {
  eventsOfRow,
  type NumberedEvent,
  ROW_END,
  ROW_START,
  type RunEvent,
  SEPARATOR,
} from "./run-event.ts";
import type { Row } from "./session-store.ts";

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

  /** How many characters it takes. */
  get length(): number {
    return this.#text.length;
  }

  get event(): RunEvent {
    return JSON.parse(this.#text) as RunEvent;
  }

  get type(): RunEvent["type"] {
    return this.#text.startsWith(CHUNK_START) ? "chunk" : this.event.type;
  }

  /** `undefined` for an event that says no chunk. */
  get chunkJson(): string | undefined {
    const text = this.#text;
    return text.startsWith(CHUNK_START) ? text.slice(CHUNK_START.length, -1) : undefined;
  }
}

/** Events that follow each other, in lists that follow each other. */
export interface EventPage {
  readonly lists: readonly (readonly HeldEvent[])[];
  /** About how long they are. */
  readonly characters: number;
  /** The last row they are from; absent when there are none. */
  readonly row: string | undefined;
}

/** Those of them after a seq. A list of which nothing is left out is handed on as it is: others have the same. */
export function eventsAfter(lists: EventPage["lists"], after: number): EventPage["lists"] {
  if ((lists[0]?.[0]?.seq ?? 0) > after) return lists;
  return lists.flatMap((events) => {
    if ((events[0]?.seq ?? 0) > after) return [events];
    const rest = events.filter(({ seq }) => seq > after);
    return rest.length === 0 ? [] : [rest];
  });
}

/** Like `eventsOfRow`, without looking into them. */
export function heldEventsOfRow(row: Row): readonly HeldEvent[] {
  const { key, value } = row;
  const first = seqOfEventKey(key);
  // Rows of older versions do not show where an event ends.
  const texts = value.startsWith(ROW_START)
    ? value.slice(ROW_START.length, -ROW_END.length).split(SEPARATOR)
    : eventsOfRow(row).map(({ event }) => JSON.stringify(event));
  return texts.map((text, index) => new HeldEvent(first + index, text));
}
