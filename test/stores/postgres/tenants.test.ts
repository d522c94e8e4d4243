import { activeTurn, headRecord } from "turnkeep/testing";
import { describe, expect, it } from "vitest";
import { ask, keyOf, newSchema, openStore, URL_OF_SERVER } from "./database.ts";

interface Index {
  readonly name: string;
  readonly columns: readonly string[];
}

async function indexesOf(schema: string): Promise<readonly Index[]> {
  const rows = await ask(
    `select c.relname as name, (
       select json_agg(a.attname order by k.place) from unnest(i.indkey::int[]) with ordinality as k (number, place)
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
     ) as columns
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relnamespace = to_regnamespace($1) order by c.relname`,
    [`"${schema}"`],
  );
  return rows as unknown as readonly Index[];
}

async function queriesOf(schema: string): Promise<readonly string[]> {
  const rows = await ask(
    `select prosrc from pg_proc where pronamespace = to_regnamespace($1) and prolang <> (select oid from pg_language where lanname = 'sql')`,
    [`"${schema}"`],
  );
  return rows
    .map((row) => String(row["prosrc"]))
    .flatMap((source) => [
      ...source.matchAll(
        /\b(from|update|into) (sessions|session_rows)\b[^;]*?(?=\n\s*(?:from|select|\))|;)/g,
      ),
    ])
    .map(([text]) => text);
}

async function tuplesRead(schema: string): Promise<number> {
  const [row] = await ask(
    `select coalesce(sum(seq_tup_read), 0)::int + coalesce(sum(idx_tup_fetch), 0)::int as tuples
     from pg_stat_user_tables where schemaname = $1`,
    [schema],
  );
  return Number(row?.["tuples"]);
}

describe.skipIf(URL_OF_SERVER === "")("tenants in Postgres", () => {
  it("come first in every key and index, but for the two that find what is due for all of them", async () => {
    const schema = newSchema();
    await openStore({ schema });
    const indexes = await indexesOf(schema);
    const others = indexes.filter(({ columns }) => columns[0] !== "tenant");
    expect(others).toEqual([
      { name: "schema_version_pkey", columns: ["version"] },
      { name: "sessions_due", columns: ["due_at"] },
      { name: "sessions_sweep", columns: ["sweep_at"] },
    ]);
    expect(indexes.length).toBeGreaterThan(7);
  });

  it("are named by every query on the tables, but for those that find what is due", async () => {
    const schema = newSchema();
    await openStore({ schema });
    const queries = await queriesOf(schema);
    expect(queries.length).toBeGreaterThan(12);
    const without = queries.filter((query) => !/\btenant\b/.test(query));
    const due = without.map((query) => /(sweep|due)_at <=/.exec(query)?.[1]);
    expect(new Set(due)).toEqual(new Set(["due", "sweep"]));
    expect(due).toHaveLength(2);
  });

  it("searches in indexes and reads little more than what is asked for", async () => {
    const schema = newSchema();
    const store = await openStore({ schema, maxConnections: 1, listen: false });
    const record = headRecord({ active: activeTurn(), dueAt: 1, sweepAt: 1 });
    const keys = Array.from({ length: 300 }, (_, index) => keyOf(`session-${index}`));
    const events = Array.from({ length: 3000 }, (_, index) => ({
      key: `event/1/${String(index).padStart(6, "0")}`,
      value: "1",
    }));
    for (const [index, key] of keys.entries()) {
      const put = index === 0 ? events : events.slice(0, 3);
      await store.commit(key, { expect: 0, record: { ...record, updatedAt: index }, put });
    }
    const [key = keyOf("none")] = keys;
    // A connection tells what it has counted at its end.
    await store.close();
    const before = await tuplesRead(schema);
    const again = await openStore({ schema, maxConnections: 1, listen: false });
    for (let round = 0; round < 10; round += 1) {
      await again.load(key, { rows: ["event/1/000100"], tails: ["event/1/"] });
      await again.range(key, { range: ["event/1/001000", "event/1/~"], limit: 5, maxBytes: 99 });
      await again.due({ kind: "work", limit: 5 });
      await again.list(key.scope, { limit: 5 });
      const rows = [{ key: `event/2/00000${round}`, value: "1" }];
      await again.append([{ key, fence: { snapshotId: "snapshot-1", epoch: 1 }, rows }]);
      const put = [{ key: `run/${round}`, value: "1" }];
      await again.commit(key, { expect: round + 1, record, put, drop: [["step/", "step/~"]] });
    }
    await again.close();
    await expect.poll(() => tuplesRead(schema)).toBeGreaterThan(before);
    expect((await tuplesRead(schema)) - before).toBeLessThan(10 * 40);
  });
});
