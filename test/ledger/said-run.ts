import { type LoggedRun, loggedRun, type Place } from "../../src/ledger/event-log.ts";
import type { EventPage } from "../../src/ledger/held-event.ts";
import type { RangeQuery, Row, SessionKey, Work } from "../../src/ledger/index.ts";
import { MemoryStore } from "../../src/stores/memory/index.ts";
import { Conversation } from "./conversation.ts";

/** Counts the rows that it was asked for, and those who watch it. */
export class WatchedStore extends MemoryStore {
  rowsRead = 0;
  watchers = 0;

  override async range(key: SessionKey, query: RangeQuery): Promise<readonly Row[]> {
    const rows = await super.range(key, query);
    this.rowsRead += rows.length;
    return rows;
  }

  override watch(key: SessionKey, options: { readonly signal: AbortSignal }): AsyncIterable<void> {
    this.watchers += 1;
    options.signal.addEventListener("abort", () => (this.watchers -= 1));
    return super.watch(key, options);
  }
}

/** A run that says something, two events at a time, and those who read it. */
export interface SaidRun {
  readonly talk: Conversation;
  readonly store: WatchedStore;
  readonly work: Work;
  readonly claim: Work["claim"];
  readonly run: LoggedRun;
  readonly say: () => Promise<void>;
  readonly ask: (place: Place) => Promise<EventPage>;
  readonly read: (after?: number) => Promise<EventPage["lists"]>;
  /** The seq of what it said first. */
  readonly first: number;
}

/** A run that has said something in as many rows. */
export async function runOf(
  rows: number,
  text = "",
  store: WatchedStore = new WatchedStore(),
): Promise<SaidRun> {
  const talk = new Conversation({ store });
  const work = await talk.begin({ input: "go" });
  const { claim } = work;
  let seq = claim.nextSeq;
  const say = async (): Promise<void> => {
    const events = [0, 1].map((n) => ({ type: "chunk" as const, n, text }));
    await talk.ledger.appendEvents(talk.key, claim, { seq, events });
    seq += events.length;
  };
  for (let row = 0; row < rows; row += 1) await say();
  const run = loggedRun(talk.key, claim.runId);
  const ask = (place: Place) => talk.ledger.readHeldEvents(run, place);
  const read = async (after = 0) => (await ask({ after, isDoubtful: true })).lists;
  return { talk, store, work, claim, run, say, ask, read, first: claim.nextSeq };
}
