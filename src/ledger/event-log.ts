import { type EventPage, eventsAfter, type HeldEvent, heldEventsOfRow } from "./held-event.ts";
import { RecentlyUsed } from "./recently-used.ts";
import { afterKey, eventPrefix, underPrefix } from "./row-key.ts";
import { eventKeyBefore } from "./run-event.ts";
import type { SessionKey } from "./scope.ts";
import type { RangeQuery, Row, SessionStore } from "./session-store.ts";
import { SharedReads } from "./shared-reads.ts";

/** A row of a run's log, and what it holds. */
interface KnownRow extends Row {
  readonly events: readonly HeldEvent[];
}

/** Where a reader is. */
export interface Place {
  /** The last seq that it has seen. */
  readonly after: number;
  /** The row that it has seen to its end, if any. */
  readonly row?: string | undefined;
  /** Whether the run may be gone, as far as it knows. */
  readonly isDoubtful: boolean;
}

/** The log of one run, to one who follows it. */
export interface LoggedRun {
  readonly key: SessionKey;
  readonly runId: string;
  /** Tells it from all others. */
  readonly name: string;
}

const PAGE_ROWS = 1000;
// Whoever does not take a page holds on to it.
const PAGE_BYTES = 128 * 1024;
const MOST_KNOWN_BYTES = 8 * 1024 * 1024;
// An event's objects take up so much beside its text; the text is there twice, as it was read and as it is sent.
const BYTES_PER_EVENT = 300;

/**
 * The logs of runs, as their readers ask for them. Many may follow one run, each at its own place: the rows that one of them has read the others are given too,
 * and the store is asked only for those that nobody has read lately.
 */
export class EventLog {
  readonly #store: SessionStore;
  readonly #reads = new SharedReads<readonly KnownRow[]>();
  /** By their first event. */
  #known = new RecentlyUsed<KnownRow>(MOST_KNOWN_BYTES);

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /**
   * A page of a run's events after a seq, in order and row by row; empty when there are none yet. All who follow the run get the same lists. The store is not
   * asked for what is known, but by newcomers and those who doubt that the run is still there.
   */
  async read(run: LoggedRun, { after, row, isDoubtful }: Place): Promise<EventPage> {
    if (row === undefined) return await this.#readFirst(run, after);
    const known = isDoubtful ? [] : this.#knownAfter(run, after);
    return pageOf(known.length > 0 ? known : await this.#readOn(run, row), after);
  }

  /** Nothing of what was read is kept. */
  forgetAll(): void {
    this.#known = new RecentlyUsed(MOST_KNOWN_BYTES);
  }

  #knownAfter(run: LoggedRun, after: number): readonly KnownRow[] {
    const rows: KnownRow[] = [];
    let characters = 0;
    for (let next = after + 1; ;) {
      const row = this.#known.get(`${run.name}${next}`);
      characters += row?.value.length ?? 0;
      if (row === undefined || (rows.length > 0 && characters > PAGE_BYTES)) return rows;
      rows.push(row);
      next += row.events.length;
    }
  }

  // The first row may begin before the event that is asked for, or even end before it.
  async #readFirst(run: LoggedRun, after: number): Promise<EventPage> {
    const prefix = eventPrefix(run.runId);
    const [first] = await this.#readTogether(run, {
      range: [eventKeyBefore(run.runId, after), underPrefix(prefix)[1]],
      floorWithin: prefix,
      limit: 1,
      maxBytes: PAGE_BYTES,
    });
    if (first === undefined) return pageOf([], after);
    const known = this.#knownAfter(run, first.events.at(-1)?.seq ?? 0);
    const more = known.length > 0 ? known : await this.#readOn(run, first.key);
    return pageOf([first, ...more], after);
  }

  #readOn(run: LoggedRun, row: string): Promise<readonly KnownRow[]> {
    return this.#readTogether(run, {
      range: [afterKey(row), underPrefix(eventPrefix(run.runId))[1]],
      limit: PAGE_ROWS,
      maxBytes: PAGE_BYTES,
    });
  }

  // What somebody else began to read before may lack what this reader was woken for: then it is read again.
  async #readTogether(run: LoggedRun, query: RangeQuery): Promise<readonly KnownRow[]> {
    const name = `${run.name}${query.range[0]}`;
    const isLate = this.#reads.isRunning(name);
    const read = async (): Promise<readonly KnownRow[]> => {
      const rows = await this.#store.range(run.key, query);
      return rows.map((row) => this.#remember(run, row));
    };
    const rows = await this.#reads.share(name, read);
    return isLate && rows.length === 0 ? await this.#reads.share(name, read) : rows;
  }

  // The one that others were given already, if there is one.
  #remember({ name }: LoggedRun, row: Row): KnownRow {
    const events = heldEventsOfRow(row);
    const place = `${name}${events[0]?.seq}`;
    const known = this.#known.get(place);
    if (known?.value === row.value) return known;
    const more = { key: row.key, value: row.value, events };
    this.#known.set(place, more, 2 * row.value.length + BYTES_PER_EVENT * events.length);
    return more;
  }
}

export function loggedRun(key: SessionKey, runId: string): LoggedRun {
  const { scope, agent, sessionId } = key;
  return { key, runId, name: JSON.stringify([scope.tenant, agent, sessionId, runId]) };
}

function pageOf(rows: readonly KnownRow[], after: number): EventPage {
  let characters = 0;
  for (const { value } of rows) characters += value.length;
  const lists = rows.map(({ events }) => events);
  return { lists: eventsAfter(lists, after), characters, row: rows.at(-1)?.key };
}
