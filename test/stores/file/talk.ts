import { headRecord } from "turnkeep/testing";
import type { Row, SessionKey, SessionStore } from "../../../src/ledger/index.ts";

/** Adds to a counter in the record by reading and committing until it is written, with a row for each. */
export async function addOne(store: SessionStore, key: SessionKey, name: string): Promise<void> {
  for (;;) {
    const { version, record } = await store.load(key);
    const next = headRecord({ rev: (record?.rev ?? 0) + 1 });
    const put = [{ key: `snapshot/${name}`, value: JSON.stringify("x".repeat(50)) }];
    if ((await store.commit(key, { expect: version, record: next, put })) === "ok") return;
  }
}

/** The names of all that was added, after checking that the counter says the same. */
export async function namesAdded(
  store: SessionStore,
  key: SessionKey,
): Promise<{ readonly rev: number; readonly names: readonly string[] }> {
  const { record, rows } = await store.load(key, { ranges: [["snapshot/", "snapshot/~"]] });
  const names = [...rows.keys()].map((row) => row.slice("snapshot/".length)).toSorted();
  return { rev: record?.rev ?? 0, names };
}

export function numbered(count: number, prefix: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(4, "0")}`);
}

/** The rows of one turn of 2 KB of messages, as the ledger writes them. */
export function rowsOfTurn(turn: number): readonly Row[] {
  const id = String(turn).padStart(6, "0");
  return [
    { key: `input/${id}/000000`, value: JSON.stringify("x".repeat(1024)) },
    { key: `event/${id}/000001`, value: JSON.stringify("x".repeat(1024)) },
    { key: `delta/000000/${id}`, value: JSON.stringify({ messages: "x".repeat(2048), keep: 2 }) },
    { key: `snapshot/01kabcdefghijklmnop${id}`, value: JSON.stringify("x".repeat(348)) },
  ];
}
