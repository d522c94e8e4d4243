import type { LoggedRun } from "./event-log.ts";
import { followRun } from "./follow-run.ts";
import { type EventPage, eventsAfter } from "./held-event.ts";
import type { Ledger } from "./ledger.ts";
import { readingPace } from "./reading-pace.ts";

type Lists = EventPage["lists"];

/** One who has read what a run said so far. */
export interface TailReader {
  /** The last seq that it has seen. */
  readonly after: number;
  /** Is told what comes next. Whether it is to be told more. */
  readonly take: (lists: Lists) => boolean;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
}

/** Why a reader is told no more: the run has nothing more to say, or the reader left. */
export type TailEnd = "ended" | "left";

/**
 * The ends of runs, where most readers are. What a run says next is waited for and read once, however many read there, and told to one after the other.
 * Whoever does not keep up leaves, and comes back when it has read the log by itself.
 */
export class RunTails {
  readonly #ledger: Ledger;
  readonly #tails = new Map<string, RunTail>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /**
   * Tells the reader what the run says after what it has seen. `undefined` when those who are there have seen more: then there is something in the log
   * for it to read first.
   *
   * @throws what the reader throws, or whatever keeps the log from being read.
   */
  join(run: LoggedRun, reader: TailReader): Promise<TailEnd> | undefined {
    const tail = this.#tails.get(run.name) ?? this.#begin(run, reader.after);
    return tail.last > reader.after ? undefined : tail.join(reader);
  }

  #begin(run: LoggedRun, after: number): RunTail {
    const tail = new RunTail(after, () => void this.#tails.delete(run.name));
    this.#tails.set(run.name, tail);
    void tail.follow(this.#ledger, run);
    return tail;
  }
}

interface Member {
  readonly reader: TailReader;
  readonly leave: (end: TailEnd) => void;
  readonly fail: (error: unknown) => void;
}

class RunTail {
  readonly #members = new Set<Member>();
  readonly #stop = new AbortController();
  readonly #forget: () => void;
  #last: number;

  constructor(last: number, forget: () => void) {
    this.#last = last;
    this.#forget = forget;
  }

  /** The last seq that its readers were told. */
  get last(): number {
    return this.#last;
  }

  join(reader: TailReader): Promise<TailEnd> {
    const { signal } = reader;
    return new Promise((resolve, reject) => {
      const out = (): void => {
        signal?.removeEventListener("abort", leave);
        this.#members.delete(member);
        if (this.#members.size === 0) this.#end();
      };
      const member: Member = {
        reader,
        leave: (end) => {
          out();
          resolve(end);
        },
        fail: (error) => {
          out();
          reject(error);
        },
      };
      const leave = (): void => member.leave("left");
      this.#members.add(member);
      signal?.addEventListener("abort", leave);
      if (signal?.aborted) leave();
    });
  }

  async follow(ledger: Ledger, { key, runId }: LoggedRun): Promise<void> {
    const { signal } = this.#stop;
    try {
      const place = { runId, after: this.#last, isKnown: true, signal };
      for await (const lists of followRun(ledger, key, place)) await this.#tell(lists, ledger);
      for (const member of this.#members) member.leave("ended");
    } catch (error) {
      for (const member of this.#members) member.fail(error);
    }
    this.#end();
  }

  async #tell(lists: Lists, { ports: { timers } }: Ledger): Promise<void> {
    // Who joins from here on has seen these.
    this.#last = lists.at(-1)?.at(-1)?.seq ?? this.#last;
    const characters = lists.flat().reduce((sum, { length }) => sum + length, 0);
    for (const member of this.#members) {
      const turn = readingPace.admit(characters, timers);
      if (turn) await turn;
      if (this.#members.has(member)) tellOne(member, lists);
    }
  }

  #end(): void {
    if (this.#stop.signal.aborted) return;
    this.#forget();
    this.#stop.abort(null);
  }
}

function tellOne({ reader, leave, fail }: Member, lists: Lists): void {
  try {
    if (!reader.take(eventsAfter(lists, reader.after))) leave("left");
  } catch (error) {
    fail(error);
  }
}
