import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { headRecord } from "turnkeep/testing";
import { describe, expect, it } from "vitest";
import { ask, keyOf, newSchema, openStore, URL_OF_SERVER } from "./database.ts";

const KEY = keyOf("session");
const TABLES = ["sessions", "lasting_rows", "short_rows"];
const SHORT_LIVED = ["end", "event", "input", "request", "run", "step"].map(
  (kind) => [`${kind}/`, `${kind}/~`] as const,
);
const TURNS = 1000;
const TURN_BYTES = 2048;

/** Text that cannot be compressed much, the same at every run. */
function noise(seed: string, length: number): string {
  let text = "";
  while (text.length < length) {
    text += createHash("sha512").update(`${seed} ${text.length}`).digest("base64");
  }
  return text.slice(0, length);
}

const DOCUMENTS = ["ARCHITECTURE", "CONTRIBUTING", "README", "SECURITY", "SPEC"]
  .map((name) => readFileSync(new URL(`../../../${name}.md`, import.meta.url), "utf8"))
  .join("\n");

/** A passage of what was really written, another for every seed. */
function prose(seed: string, length: number): string {
  const start = createHash("sha512").update(seed).digest().readUInt32BE() % DOCUMENTS.length;
  return (DOCUMENTS + DOCUMENTS).slice(start, start + length);
}

async function storedBytes(schema: string): Promise<number> {
  let bytes = 0;
  for (const table of TABLES) {
    // As autovacuum would before long.
    await ask(`vacuum "${schema}".${table}`);
    const sql = "select pg_total_relation_size($1)::int as bytes";
    const [row] = await ask(sql, [`"${schema}".${table}`]);
    bytes += Number(row?.["bytes"]);
  }
  return bytes;
}

/**
 * Keeps a talk of which each turn says `say(turn)`, and sweeps the rows of old runs now and then, as happens to a talk that goes on
 * for days. Returns the bytes it takes up by those that were said.
 */
async function keepTalk(say: (turn: string) => string): Promise<number> {
  const schema = newSchema();
  const store = await openStore({ schema });
  for (let turn = 0; turn < TURNS; turn += 1) {
    const id = String(turn).padStart(26, "0");
    const text = say(id);
    const short = [`run/${id}`, `end/${id}`, `request/${id}`, `step/${id}/tool-started`];
    const put = [
      ...short.map((key) => ({ key, value: JSON.stringify({ at: turn }) })),
      { key: `input/${id}/000000`, value: JSON.stringify(text.slice(0, TURN_BYTES / 4)) },
      { key: `event/${id}/000001`, value: JSON.stringify(text.slice(TURN_BYTES / 4)) },
      { key: `event/${id}/000009`, value: JSON.stringify({ end: turn }) },
      { key: `delta/000000/${id.slice(-6)}`, value: JSON.stringify({ messages: text, keep: 2 }) },
      { key: `snapshot/${id}`, value: JSON.stringify(noise(id, 348)) },
    ];
    const record = headRecord({ rev: turn, updatedAt: turn, dueAt: turn, sweepAt: turn });
    const isSwept = turn % 100 === 99;
    const drop = isSwept ? SHORT_LIVED : [];
    expect(await store.commit(KEY, { expect: turn, record, put, drop })).toBe("ok");
    if (isSwept) await store.sweep();
    if (isSwept) await storedBytes(schema);
  }
  return (await storedBytes(schema)) / (TURNS * TURN_BYTES);
}

describe.skipIf(URL_OF_SERVER === "")("storage in Postgres", () => {
  it("needs at most 1.5 times the bytes of a talk of 1,000 turns of 2 KB", async () => {
    expect(await keepTalk((turn) => prose(turn, TURN_BYTES))).toBeLessThan(1.5);
  });

  it("needs little more when nothing can be compressed", async () => {
    expect(await keepTalk((turn) => noise(turn, TURN_BYTES))).toBeLessThan(1.75);
  });

  it("keeps nothing of a session that was deleted and forgotten, in no table", async () => {
    const schema = newSchema();
    const store = await openStore({ schema });
    const canary = "canary-4f1c";
    const record = headRecord({ labels: [{ name: canary, snapshotId: canary }] });
    const put = ["run/1", "event/1/000001", "snapshot/1", "delta/000000/000000"].map((key) => ({
      key,
      value: JSON.stringify(canary),
    }));
    const seen = async (): Promise<readonly unknown[]> => {
      const tables = await ask(
        "select relname as name from pg_class where relnamespace = to_regnamespace($1) and relkind = 'r'",
        [`"${schema}"`],
      );
      const found: unknown[] = [];
      for (const { name } of tables) {
        const sql = `select * from (select t::text as line from "${schema}".${String(name)} t) l where line like $1`;
        for (const { line } of await ask(sql, [`%${canary}%`])) found.push(line);
      }
      return found;
    };
    await store.commit(keyOf(canary), { expect: 0, record, put });
    await store.commit(keyOf("kept"), {
      expect: 0,
      record: headRecord(),
      put: [put[0] ?? never()],
    });
    expect(await seen()).toHaveLength(6);
    await store.commit(keyOf(canary), {
      expect: 1,
      record: headRecord({ epoch: 2, deletedAt: 1 }),
      drop: "all",
    });
    // The name, which its tombstone keeps.
    expect(await seen()).toHaveLength(2);
    await store.commit(keyOf(canary), { expect: 2, record: null });
    await store.commit(keyOf("kept"), { expect: 1, record: null });
    await store.sweep();
    expect(await seen()).toEqual([]);
  });
});

function never(): never {
  throw new Error("There is a first one.");
}
