import { expect, it } from "vitest";
import type { Row } from "../../src/ledger/index.ts";
import type { TailEnd, TailReader } from "../../src/ledger/run-tail.ts";
import { answered } from "./conversation.ts";
import { runOf, type SaidRun, WatchedStore } from "./said-run.ts";

/** One who reads at the end of a run, and what it was told. */
class Listener implements TailReader {
  readonly after: number;
  readonly seqs: number[] = [];
  readonly end: Promise<TailEnd> | undefined;
  readonly #leave = new AbortController();
  readonly #mostPages: number;

  constructor({ talk, run }: SaidRun, after: number, mostPages = Number.POSITIVE_INFINITY) {
    this.after = after;
    this.#mostPages = mostPages;
    this.end = talk.ledger.tails.join(run, this);
  }

  get signal(): AbortSignal {
    return this.#leave.signal;
  }

  pages = 0;

  take: TailReader["take"] = (lists) => {
    this.pages += 1;
    this.seqs.push(...lists.flat().map(({ seq }) => seq));
    return this.pages < this.#mostPages;
  };

  leave(): void {
    this.#leave.abort();
  }
}

async function finish({ talk, work }: SaidRun, nextSeq: number): Promise<void> {
  const content = answered(work.start?.content, "done");
  await talk.ledger.finish(talk.key, work, { status: "completed", content, nextSeq });
}

function after(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + 1 + index);
}

it("what a run says next is read once and told to all who have read as much, to its end", async () => {
  const said = await runOf(3);
  const { store, say, first } = said;
  const last = first + 5;
  const readers = Array.from({ length: 50 }, () => new Listener(said, last));
  await say();
  await expect.poll(() => readers[49]?.seqs.length).toBe(2);
  store.rowsRead = 0;
  for (let row = 0; row < 10; row += 1) {
    await say();
    await expect.poll(() => readers[0]?.seqs.length).toBe(4 + 2 * row);
  }
  expect(store.rowsRead).toBe(10);
  expect(store.watchers).toBe(1);
  await finish(said, last + 23);
  for (const { end } of readers) expect(await end).toBe("ended");
  // With the end of its turn, and its own.
  for (const { seqs } of readers) expect(seqs).toEqual(after(last, 24));
  expect(store.watchers).toBe(0);
});

it("who has not read what the others were told reads that first", async () => {
  const said = await runOf(1);
  const { say, first } = said;
  const early = new Listener(said, first + 1);
  await say();
  await expect.poll(() => early.seqs.length).toBe(2);
  expect(new Listener(said, first + 1).end).toBeUndefined();
  expect(new Listener(said, first + 2).end).toBeUndefined();
  const late = new Listener(said, first + 3);
  await say();
  await expect.poll(() => late.seqs).toEqual(after(first + 3, 2));
  early.leave();
  late.leave();
});

it("who has read more than the others is told only what it has not", async () => {
  const said = await runOf(5);
  const { first } = said;
  const behind = new Listener(said, first + 1);
  const ahead = [4, 5, 9].map((read) => new Listener(said, first + read));
  await said.say();
  await expect.poll(() => behind.seqs).toEqual(after(first + 1, 10));
  expect(ahead.map(({ seqs }) => seqs.length)).toEqual([7, 6, 2]);
  for (const reader of [behind, ...ahead]) reader.leave();
});

it("who has enough, or leaves, is told no more; the log is watched until the last one left", async () => {
  const said = await runOf(1);
  const { store, say, first } = said;
  const last = first + 1;
  const full = new Listener(said, last, 1);
  const gone = new Listener(said, last);
  const patient = new Listener(said, last);
  gone.leave();
  expect(await gone.end).toBe("left");
  await say();
  expect(await full.end).toBe("left");
  await say();
  await expect.poll(() => patient.seqs).toEqual(after(last, 4));
  expect([full.seqs, gone.seqs]).toEqual([after(last, 2), []]);
  expect(store.watchers).toBe(1);
  patient.leave();
  expect(store.watchers).toBe(0);
  // The next one begins anew.
  const next = new Listener(said, last + 4);
  await say();
  await expect.poll(() => next.seqs).toEqual(after(last + 4, 2));
  next.leave();
  expect(store.watchers).toBe(0);
});

it("a reader that is gone already is told nothing", async () => {
  const said = await runOf(1);
  const signal = AbortSignal.abort();
  const take = (): boolean => {
    throw new Error("nothing was to be said");
  };
  const { talk, run, store, first } = said;
  expect(await talk.ledger.tails.join(run, { after: first + 1, signal, take })).toBe("left");
  expect(store.watchers).toBe(0);
});

it("a reader that throws fails alone", async () => {
  const said = await runOf(1);
  const { talk, run, say, first } = said;
  const take = (): boolean => {
    throw new Error("cannot say it");
  };
  const failing = talk.ledger.tails.join(run, { after: first + 1, take });
  const other = new Listener(said, first + 1);
  await say();
  await expect(failing).rejects.toThrow("cannot say it");
  await expect.poll(() => other.seqs).toEqual(after(first + 1, 2));
  other.leave();
});

it("a log that cannot be read fails all who wait there, and those who come then begin anew", async () => {
  class FailingStore extends WatchedStore {
    isBroken = false;

    override async range(...query: Parameters<WatchedStore["range"]>): Promise<readonly Row[]> {
      if (this.isBroken) throw new Error("out of order");
      return await super.range(...query);
    }
  }
  const store = new FailingStore();
  const said = await runOf(1, "", store);
  const { say, first } = said;
  const readers = [1, 2].map(() => new Listener(said, first + 1));
  store.isBroken = true;
  const ends = readers.map((reader) => expect(reader.end).rejects.toThrow("out of order"));
  await Promise.all([say(), ...ends]);
  store.isBroken = false;
  const next = new Listener(said, first + 1);
  await expect.poll(() => next.seqs).toEqual(after(first + 1, 2));
  next.leave();
});

it("the run of a session that is erased has ended", async () => {
  const said = await runOf(1);
  const { talk, first } = said;
  const reader = new Listener(said, first + 1);
  await talk.ledger.remove(talk.key);
  expect(await reader.end).toBe("ended");
  expect(reader.seqs).toEqual([]);
});

it("who comes while the others are being told misses nothing and is told nothing twice", async () => {
  const said = await runOf(1);
  const { talk, claim, run, first } = said;
  const readers: Listener[] = [];
  let late: Listener | undefined;
  const take = (): boolean => {
    late ??= new Listener(said, first + 3);
    readers.at(-1)?.leave();
    expect(readers[0]?.pages).toBe(0);
    return false;
  };
  const end = talk.ledger.tails.join(run, { after: first + 1, take });
  // So much for each that not all of them can be told at once.
  for (let count = 0; count < 40; count += 1) readers.push(new Listener(said, first + 1));
  const event = { type: "chunk" as const, text: "x".repeat(60_000) };
  await talk.ledger.appendEvents(talk.key, claim, { seq: first + 2, events: [event, event] });
  expect(await end).toBe("left");
  await talk.ledger.appendEvents(talk.key, claim, { seq: first + 4, events: [event] });
  await expect.poll(() => readers[38]?.seqs).toEqual(after(first + 1, 3));
  await expect.poll(() => late?.seqs).toEqual([first + 4]);
  expect(readers.map(({ seqs }) => seqs.length)).toEqual([...after(0, 39).map(() => 3), 0]);
  for (const reader of [late, ...readers]) reader?.leave();
  expect(said.store.watchers).toBe(0);
});
