import { expect, it } from "vitest";
import type { RangeQuery, Row, SessionKey } from "../../src/ledger/index.ts";
import { MemoryStore } from "../../src/stores/memory/index.ts";
import { Conversation } from "./conversation.ts";

/** Counts the rows that it was asked for. */
class WatchedStore extends MemoryStore {
  rowsRead = 0;

  override async range(key: SessionKey, query: RangeQuery): Promise<readonly Row[]> {
    const rows = await super.range(key, query);
    this.rowsRead += rows.length;
    return rows;
  }
}

/** A run that has said something in as many rows. */
async function runOf(rows: number, text = "") {
  const store = new WatchedStore();
  const talk = new Conversation({ store });
  const { claim } = await talk.begin({ input: "go" });
  let seq = claim.nextSeq;
  const say = async (): Promise<void> => {
    const events = [0, 1].map((n) => ({ type: "chunk" as const, n, text }));
    await talk.ledger.appendEvents(talk.key, claim, { seq, events });
    seq += events.length;
  };
  for (let row = 0; row < rows; row += 1) await say();
  const read = (after = 0, isDoubtful = true) =>
    talk.ledger.readSharedEvents(talk.key, claim.runId, { after, isDoubtful });
  return { talk, store, claim, say, read, first: claim.nextSeq };
}

it("readers at different places are given the same lists, and the store is asked only for what is new", async () => {
  const { store, say, read, first } = await runOf(10);
  const all = await read();
  expect(all).toHaveLength(10);
  store.rowsRead = 0;
  const half = await read(first + 9);
  expect(half).toHaveLength(5);
  for (const [index, list] of half.entries()) expect(list).toBe(all[5 + index]);
  expect(await read(first + 19)).toEqual([]);
  await say();
  expect((await read(first + 19)).flat().map(({ seq }) => seq)).toEqual([first + 20, first + 21]);
  expect(store.rowsRead).toBe(1);
  // Whoever follows is given what others have read.
  expect((await read(first + 3, false)).flat()).toHaveLength(18);
  expect(await read(first + 21, false)).toEqual([]);
  expect(store.rowsRead).toBe(1);
});

it("rows larger than a page are read on after, too", async () => {
  const { say, read, first } = await runOf(2, "x".repeat(300_000));
  for (let after = 0; after < first + 3;) {
    const page = (await read(after, false)).flat();
    expect(page[0]?.seq).toBe(Math.max(after + 1, first));
    after = page.at(-1)?.seq ?? Infinity;
  }
  await say();
  expect((await read(first + 3, false)).flat()[0]?.seq).toBe(first + 4);
});

it("a large batch is kept in rows that are small, in order", async () => {
  const { talk, claim, read } = await runOf(0);
  const events = Array.from({ length: 11 }, (_, n) => ({
    type: "chunk" as const,
    n,
    text: "x".repeat(50_000),
  }));
  await talk.ledger.appendEvents(talk.key, claim, { seq: claim.nextSeq, events });
  expect(await talk.rows("event/")).toHaveLength(4);
  const seen = [];
  for (let after = 0; ; after = seen.at(-1)?.seq ?? 0) {
    const page = (await read(after)).flat();
    if (page.length === 0) break;
    seen.push(...page);
  }
  expect(seen.map(({ event }) => "n" in event && event["n"])).toEqual(events.map(({ n }) => n));
});

it("a row that fills a page does not hide the next one", async () => {
  const { say, read, first } = await runOf(1, "x".repeat(125_000));
  await read();
  await say();
  expect((await read(first + 1)).flat().map(({ seq }) => seq)).toEqual([first + 2, first + 3]);
});

it("a reader in the middle of a row is given the rest of it", async () => {
  const { read, first } = await runOf(3);
  await read();
  expect((await read(first)).flat().map(({ seq }) => seq)).toEqual(
    [1, 2, 3, 4, 5].map((more) => first + more),
  );
});

it("whoever is behind what is remembered reads every event once, from the store", async () => {
  const { read, first } = await runOf(20, "x".repeat(20_000));
  for (const start of [0, first + 29, 0, first + 5]) {
    const seqs: number[] = [];
    for (let after = start; ; after = seqs.at(-1) ?? after) {
      const page = (await read(after)).flat();
      if (page.length === 0) break;
      seqs.push(...page.map(({ seq }) => seq));
    }
    const from = Math.max(start + 1, first);
    expect(seqs).toEqual(Array.from({ length: first + 40 - from }, (_, index) => from + index));
  }
});

it("what another process has removed is not given to anybody", async () => {
  const { talk, store, read } = await runOf(3);
  expect(await read()).toHaveLength(3);
  await new Conversation({ store }).ledger.remove(talk.key);
  expect(await read()).toEqual([]);
  expect(await read(2)).toEqual([]);
});

it("whoever may change what it reads gets events of its own", async () => {
  const { talk, claim } = await runOf(1);
  const one = await talk.ledger.readEvents(talk.key, claim.runId);
  const other = await talk.ledger.readEvents(talk.key, claim.runId);
  expect(one).toEqual(other);
  expect(one[0]?.event).not.toBe(other[0]?.event);
});
