import { expect, it } from "vitest";
import type { Place } from "../../src/ledger/event-log.ts";
import type { EventPage, HeldEvent } from "../../src/ledger/held-event.ts";
import { eventKey } from "../../src/ledger/row-key.ts";
import { Conversation } from "./conversation.ts";
import { runOf } from "./said-run.ts";
import { readEvents } from "./read-events.ts";

/** All that somebody sees who follows the run up to where it is now. */
async function follow(ask: (place: Place) => Promise<EventPage>, start = 0) {
  const seen: HeldEvent[] = [];
  for (let row: string | undefined; ;) {
    const after = seen.at(-1)?.seq ?? start;
    const page = await ask({ after, row, isDoubtful: false });
    if (page.lists.length === 0) return seen;
    seen.push(...page.lists.flat());
    row = page.row;
  }
}

function upTo(last: number, from = 1): readonly number[] {
  return Array.from({ length: last - from + 1 }, (_, index) => from + index);
}

it("readers at different places are given the same lists, and the store is asked for what is new", async () => {
  const { store, say, ask, first } = await runOf(10);
  const all = await ask({ after: 0, isDoubtful: true });
  expect(all.lists).toHaveLength(10);
  store.rowsRead = 0;
  const half = await ask({ after: first + 9, isDoubtful: true });
  expect(half.lists).toHaveLength(5);
  for (const [index, list] of half.lists.entries()) expect(list).toBe(all.lists[5 + index]);
  // A newcomer asks for the row that it is in.
  expect(store.rowsRead).toBe(1);
  const end = { after: first + 19, row: all.row };
  expect((await ask({ ...end, isDoubtful: false })).lists).toEqual([]);
  await say();
  const [last] = (await ask({ ...end, isDoubtful: false })).lists;
  expect(last?.map(({ seq }) => seq)).toEqual([first + 20, first + 21]);
  expect(store.rowsRead).toBe(2);
  // Whoever follows is given what others have read.
  expect((await ask({ ...end, isDoubtful: false })).lists[0]).toBe(last);
  expect(store.rowsRead).toBe(2);
});

it("rows larger than a page are read on after, too", async () => {
  const { say, ask, first } = await runOf(2, "x".repeat(300_000));
  const seqs = async (start: number) => (await follow(ask, start)).map(({ seq }) => seq);
  expect(await seqs(0)).toEqual(upTo(first + 3, first));
  await say();
  expect(await seqs(first + 3)).toEqual([first + 4, first + 5]);
  expect(await seqs(first + 1)).toEqual(upTo(first + 5, first + 2));
});

it("of what is not known, no more than a page is held for anybody", async () => {
  const { ask, first } = await runOf(20, "x".repeat(10_000));
  const page = await ask({ after: 0, isDoubtful: true });
  expect(page.lists.length).toBeLessThan(10);
  expect((await ask({ after: 0, isDoubtful: true })).lists.length).toBeLessThan(10);
  expect(await follow(ask)).toHaveLength(40);
  expect((await follow(ask))[0]?.seq).toBe(first);
});

it("a large batch is kept in rows that are small, in order", async () => {
  const { talk, claim, ask } = await runOf(0);
  const events = Array.from({ length: 11 }, (_, n) => ({
    type: "chunk" as const,
    n,
    text: "x".repeat(50_000),
  }));
  await talk.ledger.appendEvents(talk.key, claim, { seq: claim.nextSeq, events });
  expect(await talk.rows("event/")).toHaveLength(6);
  const seen = await follow(ask);
  expect(seen.map(({ event }) => "n" in event && event["n"])).toEqual(events.map(({ n }) => n));
});

it("a row that fills a page does not hide the next one", async () => {
  const { say, read, first } = await runOf(1, "x".repeat(125_000));
  await read();
  await say();
  expect((await read(first + 1)).flat()[0]?.seq).toBe(first + 2);
});

it("a reader in the middle of a row is given the rest of it", async () => {
  const { read, first } = await runOf(3);
  await read();
  expect((await read(first)).flat().map(({ seq }) => seq)).toEqual(
    [1, 2, 3, 4, 5].map((more) => first + more),
  );
});

it("each event is seen once, wherever a reader begins and however much is remembered", async () => {
  const { ask, first } = await runOf(250, "x".repeat(20_000));
  for (const start of [0, first + 250, 0, first + 5, first + 499]) {
    const seqs = (await follow(ask, start)).map(({ seq }) => seq);
    expect(seqs).toEqual(upTo(first + 499, Math.max(start + 1, first)));
  }
});

it("rows of versions that wrote them without line breaks are read too", async () => {
  const { talk, claim, read, first } = await runOf(1);
  const events = [0, 1].map((n) => ({ type: "chunk" as const, chunk: { status: n } }));
  const row = { key: eventKey(claim.runId, first + 2), value: JSON.stringify(events) };
  await talk.ledger.appendRows(talk.key, claim, [row]);
  const more = (await read(first + 1)).flat();
  expect(more.map(({ event }) => event)).toEqual(events);
  expect(more.map(({ chunkJson }) => chunkJson)).toEqual(['{"status":0}', '{"status":1}']);
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
  const one = await readEvents(talk.ledger, { key: talk.key, runId: claim.runId });
  const other = await readEvents(talk.ledger, { key: talk.key, runId: claim.runId });
  expect(one).toEqual(other);
  expect(one[0]?.event).not.toBe(other[0]?.event);
});
