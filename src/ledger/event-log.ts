import { RecentlyUsed } from "./recently-used.ts";
import { afterKey, eventPrefix, underPrefix } from "./row-key.ts";
import { eventKeyBefore, type EventPage, eventsOfRow, type NumberedEvent } from "./run-event.ts";
import type { SessionKey } from "./scope.ts";
import type { RangeQuery, Row, SessionStore } from "./session-store.ts";
import { SharedReads } from "./shared-reads.ts";

/** A row of a run's log, and what it holds. */
interface KnownRow extends Row {
  readonly events: readonly NumberedEvent[];
  readonly last: number;
}

/** Where a reader is. */
export interface Place {
  /** The last seq that it has seen. */
  readonly after: number;
  /** Whether the run may be gone, as far as it knows. */
  readonly isDoubtful: boolean;
}

interface Run {
  readonly key: SessionKey;
  readonly runId: string;
  readonly name: string;
}

const PAGE_ROWS = 1000;
const PAGE_BYTES = 256 * 1024;
const MOST_KNOWN_CHARACTERS = 4 * 1024 * 1024;
const MOST_KNOWN_OF_RUN = 2 * 1024 * 1024;

/**
 * The logs of runs, as their readers ask for them. Many may follow one run, each at its own place: what one of them has read the others are given too, and the
 * store is asked only for what came after it.
 */
export class EventLog {
  readonly #store: SessionStore;
  readonly #reads = new SharedReads<readonly Row[]>();
  readonly #sharedReads = new SharedReads<readonly KnownRow[]>();
  /** Of each run that is read the newest rows, without a gap. */
  #known = new RecentlyUsed<readonly KnownRow[]>(MOST_KNOWN_CHARACTERS);

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /** A page of a run's events after a seq, in order; empty when there are none yet. They are the caller's own. */
  async read(key: SessionKey, runId: string, after: number): Promise<readonly NumberedEvent[]> {
    const { name } = runOf(key, runId);
    const rows = await this.#reads.share(`${name}${after}`, () =>
      this.#readAfter({ key, runId, name }, after),
    );
    return rows.flatMap(eventsOfRow).filter(({ seq }) => seq > after);
  }

  /**
   * Like `read`, row by row: the same lists for all who follow the run. Nobody may change them. Unless the caller doubts that the run is still there, the store
   * is not asked while somebody else has read on.
   */
  async readShared(
    key: SessionKey,
    runId: string,
    { after, isDoubtful }: Place,
  ): Promise<EventPage> {
    const run = runOf(key, runId);
    const known = this.#known.get(run.name);
    if (covers(known, after)) {
      const hasMore = isBeyond(known, after);
      if (hasMore && (!isDoubtful || (await this.#isThere(run, known)))) {
        return eventsAfter(known, after);
      }
      const rows = hasMore ? [] : await this.#readOnTogether(run, after);
      if (covers(rows, after)) return eventsAfter(rows, after);
    }
    const rows = await this.#sharedReads.share(`${run.name}${after}`, () =>
      this.#readFrom(run, after),
    );
    return eventsAfter(rows, after);
  }

  /** Nothing of what was read is kept. */
  forgetAll(): void {
    this.#known = new RecentlyUsed(MOST_KNOWN_CHARACTERS);
  }

  // What somebody else began to read before may lack what this reader was woken for: then it is read again.
  async #readOnTogether(run: Run, after: number): Promise<readonly KnownRow[]> {
    const isLate = this.#sharedReads.isRunning(run.name);
    const read = (): Promise<readonly KnownRow[]> => this.#readOn(run);
    const rows = await this.#sharedReads.share(run.name, read);
    if (!isLate || isBeyond(rows, after)) return rows;
    return await this.#sharedReads.share(run.name, read);
  }

  async #readOn(run: Run): Promise<readonly KnownRow[]> {
    const known = this.#known.get(run.name) ?? [];
    const newest = known.at(-1);
    if (newest === undefined) return [];
    const rows = await this.#readRows(run, { from: afterKey(newest.key) });
    const more = rows.map(toKnownRow);
    const isNext = (more[0]?.events[0]?.seq ?? newest.last + 1) === newest.last + 1;
    if (!isNext) {
      this.#known.delete(run.name);
      return [];
    }
    return more.length === 0 ? known : this.#remember(run, [...known, ...more]);
  }

  // Only while the store has the newest of the known rows are those before it still there.
  async #isThere({ key, name }: Run, known: readonly KnownRow[]): Promise<boolean> {
    const newest = known.at(-1);
    if (newest === undefined) return false;
    const { rows } = await this.#store.load(key, { rows: [newest.key] });
    const isThere = rows.get(newest.key) === newest.value;
    if (!isThere) this.#known.delete(name);
    return isThere;
  }

  async #readFrom(run: Run, after: number): Promise<readonly KnownRow[]> {
    const rows = await this.#readAfter(run, after);
    const known = rows.map(toKnownRow);
    const isNewer = (known.at(-1)?.last ?? 0) > (this.#known.get(run.name)?.at(-1)?.last ?? 0);
    return isNewer ? this.#remember(run, known) : known;
  }

  // Tells all of them, though only the newest are remembered.
  #remember({ name }: Run, rows: readonly KnownRow[]): readonly KnownRow[] {
    let weight = 0;
    let start = rows.length;
    while (start > 0 && weight + (rows[start - 1]?.value.length ?? 0) <= MOST_KNOWN_OF_RUN) {
      start -= 1;
      weight += rows[start]?.value.length ?? 0;
    }
    this.#known.set(name, start === 0 ? rows : rows.slice(start), weight);
    return rows;
  }

  // The row may begin before the event that is asked for.
  #readAfter(run: Run, after: number): Promise<readonly Row[]> {
    const { runId } = run;
    return this.#readRows(run, {
      from: eventKeyBefore(runId, after),
      floorWithin: eventPrefix(runId),
    });
  }

  #readRows(
    { key, runId }: Run,
    { from, ...floor }: { readonly from: string } & Pick<RangeQuery, "floorWithin">,
  ): Promise<readonly Row[]> {
    const [, to] = underPrefix(eventPrefix(runId));
    return this.#store.range(key, {
      range: [from, to],
      ...floor,
      limit: PAGE_ROWS,
      maxBytes: PAGE_BYTES,
    });
  }
}

function runOf(key: SessionKey, runId: string): Run {
  const { scope, agent, sessionId } = key;
  return { key, runId, name: JSON.stringify([scope.tenant, agent, sessionId, runId]) };
}

function toKnownRow(row: Row): KnownRow {
  const events = eventsOfRow(row);
  return { key: row.key, value: row.value, events, last: events.at(-1)?.seq ?? 0 };
}

// Whether all that comes after a seq comes after it here too.
function covers(rows: readonly KnownRow[] | undefined, after: number): rows is readonly KnownRow[] {
  const first = rows?.[0]?.events[0]?.seq;
  return first !== undefined && first <= after + 1 && (rows?.at(-1)?.last ?? 0) >= after;
}

function isBeyond(rows: readonly KnownRow[], after: number): boolean {
  return (rows.at(-1)?.last ?? 0) > after;
}

// No more than a page of them: whoever does not take them holds on to them.
function eventsAfter(rows: readonly KnownRow[], after: number): EventPage {
  let start = rows.length;
  while (start > 0 && (rows[start - 1]?.last ?? 0) > after) start -= 1;
  const page: (readonly NumberedEvent[])[] = [];
  let characters = 0;
  for (const { events, value } of rows.slice(start)) {
    characters += value.length;
    if (page.length > 0 && characters > PAGE_BYTES) break;
    // The whole list, where nothing is left out: others have the same.
    const isWhole = (events[0]?.seq ?? 0) > after;
    page.push(isWhole ? events : events.filter(({ seq }) => seq > after));
  }
  return page;
}
