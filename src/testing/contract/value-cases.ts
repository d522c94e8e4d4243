import assert from "node:assert/strict";
import { activeTurn, headRecord } from "../head-record.ts";
import type { ContractCase } from "./contract-case.ts";
import { createSession, keyOf, readAll } from "./contract-session.ts";

const VALUES: readonly string[] = [
  '"plain"',
  "null",
  "0",
  "1e400",
  "12345678901234567890123",
  '"  spaces  and\\ttabs  "',
  ' { "spaced" :  [ 1 , 2 ] } ',
  '{"a":1,"a":2}',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}',
  '{"lc":1,"type":"constructor","id":["x"]}',
  JSON.stringify(
    "quote ' double \" back \\ tick ` semicolon ; -- comment /* */ $1 ? :name @name %s",
  ),
  JSON.stringify("Grüße, 你好, שלום, مرحبا, नमस्ते"),
  JSON.stringify("👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 \u202E\u200B\uFEFF\u2028\u2029"),
  JSON.stringify("\u0000\u0001\u001F\u007F"),
  JSON.stringify("\uD800 alone"),
  JSON.stringify("x".repeat(1024 * 1024)),
  JSON.stringify("ü😀".repeat(100_000)),
];

const NAMES: readonly string[] = [
  "../x",
  "..\\x",
  "/etc/passwd",
  "CON",
  "%",
  "_",
  "*",
  "a%",
  "it's",
  '"',
  "\\",
  "a:b",
  "a/b",
  "a|b",
  "a,b",
  "a\nb",
  "{a}",
  "[1]",
  "__proto__",
  "constructor",
  "null",
  "0",
  "00",
  "é",
  "e\u0301",
  "E",
  "e",
  "ß",
  "ss",
  "I",
  "ı",
  "שלום",
  "\u202Eabc",
  "😀",
  "a ",
  "a",
  " a",
  "ü".repeat(256),
  "x".repeat(512),
  `${"x".repeat(511)}y`,
];

export const valueCases: readonly ContractCase[] = [
  {
    name: "values: come back byte by byte as they were put",
    run: async (store) => {
      const key = keyOf("session");
      const kinds = ["snapshot", "event/1"];
      const put = VALUES.flatMap((value, index) =>
        kinds.map((kind) => ({ key: `${kind}/${String(index).padStart(4, "0")}`, value })),
      );
      await createSession(store, key, { put });
      const { rows } = await readAll(store, key);
      assert.equal(rows.size, put.length);
      for (const row of put)
        assert.ok(rows.get(row.key) === row.value, `changed: ${row.value.slice(0, 60)}`);
      const listed = await store.range(key, { range: ["!", "~"], limit: 1000, maxBytes: 1e9 });
      for (const row of listed) assert.ok(rows.get(row.key) === row.value);
      assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
    },
  },
  {
    name: "values: come back byte by byte as they were appended",
    run: async (store) => {
      const key = keyOf("session");
      await createSession(store, key, { record: headRecord({ active: activeTurn() }) });
      const rows = VALUES.map((value, index) => ({
        key: `event/1/${String(index).padStart(6, "0")}`,
        value,
      }));
      const append = { key, fence: { snapshotId: "snapshot-1", epoch: 1 }, rows };
      assert.deepEqual(await store.append([append]), ["ok"]);
      assert.deepEqual(await store.append([append]), ["ok"]);
      const found = await store.range(key, {
        range: ["event/1/", "event/1/~"],
        limit: 1000,
        maxBytes: 1e9,
      });
      assert.deepEqual(found, rows);
    },
  },
  {
    name: "values: numbers in the record come back exactly",
    run: async (store) => {
      const record = headRecord({
        epoch: 2 ** 40,
        rev: Number.MAX_SAFE_INTEGER,
        updatedAt: 1_794_778_876_629.25,
        dueAt: 0.5,
        sweepAt: 2 ** 45,
      });
      await createSession(store, keyOf("session"), { record });
      assert.deepEqual((await store.load(keyOf("session"))).record, record);
    },
  },
  {
    name: "names: any text names a session of its own, as tenant, agent or id",
    run: async (store) => {
      const keys = NAMES.flatMap((name) => [
        keyOf(name),
        keyOf("session", { agent: name }),
        keyOf("session", { tenant: name }),
      ]);
      await Promise.all(
        keys.map((key, rev) =>
          createSession(store, key, {
            record: headRecord({ rev }),
            put: [{ key: "run/1", value: String(rev) }],
          }),
        ),
      );
      for (const [rev, key] of keys.entries()) {
        const view = await store.load(key, { rows: ["run/1"] });
        assert.equal(view.record?.rev, rev, JSON.stringify(key));
        assert.equal(view.rows.get("run/1"), String(rev));
        const { sessions } = await store.list(key.scope, { agent: key.agent, limit: 1000 });
        assert.ok(
          sessions.some(
            (session) => session.key.sessionId === key.sessionId && session.record.rev === rev,
          ),
        );
      }
    },
  },
  {
    name: "names: parts cannot be shifted from one into another",
    run: async (store) => {
      const parts = ["a", "a/b", "a:b", "a,b", 'a","b', "b", "b/c", "b:c", "b,c", 'b","c', "c"];
      const keys = parts.flatMap((agent) => parts.map((id) => keyOf(id, { agent, tenant: "a" })));
      for (const [rev, key] of keys.entries())
        await createSession(store, key, { record: headRecord({ rev }) });
      for (const [rev, key] of keys.entries())
        assert.equal((await store.load(key)).record?.rev, rev);
    },
  },
];
