import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { fakeClock, headRecord } from "turnkeep/testing";
import { expect, it } from "vitest";
import { migrate } from "../../../src/stores/sqlite/migrate.ts";
import { MIGRATIONS } from "../../../src/stores/sqlite/migrations.ts";
import { DatabaseSync } from "./database-sync.ts";
import { keyOf } from "./session-keys.ts";
import { temporaryFile } from "./temporary-file.ts";

const KEY = keyOf("session");

it.each([
  ["nothing", "", "path: must be the path of a file."],
  ["blanks", "  ", "path: must be the path of a file."],
  ["no text", 5, "path: must be the path of a file."],
  ["a database in memory", ":memory:", "MemoryStore"],
  ["a URL", "file:sessions.db", "fileURLToPath"],
])("refuses %s for a path, and makes no file", async (_, path, fix) => {
  await expect(openSqliteStore(path as string)).rejects.toMatchObject({
    status: "INVALID_ARGUMENT",
    message: expect.stringContaining(fix),
  });
  expect(existsSync(`./${path}`) && statSync(`./${path}`).isFile()).toBe(false);
});

it.skipIf(process.platform === "win32")("makes files that only their owner can read", async () => {
  const path = temporaryFile();
  const store = await openSqliteStore(path);
  for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  await store.close();
});

it("opening a file a second time takes no locks away from the first", async () => {
  const path = temporaryFile();
  const first = await openSqliteStore(path);
  const second = await openSqliteStore(path);
  await second.close();
  expect(await first.commit(KEY, { expect: 0, record: headRecord() })).toBe("ok");
  await first.close();
  const third = await openSqliteStore(path);
  expect((await third.load(KEY)).version).toBe(1);
  await third.close();
});

it("takes the time from the clock it is given", async () => {
  const clock = fakeClock(1000);
  const store = await openSqliteStore(temporaryFile(), { clock });
  await store.commit(KEY, { expect: 0, record: headRecord({ dueAt: 2000 }) });
  expect((await store.load(KEY)).now).toBe(1000);
  expect(await store.due({ kind: "work", limit: 1 })).toEqual([]);
  clock.advance(1000);
  expect(await store.due({ kind: "work", limit: 1 })).toHaveLength(1);
  await store.close();
});

it("brings a file of the first version up to date, with all its rows", async () => {
  const path = temporaryFile();
  const database = new DatabaseSync(path);
  migrate(database, MIGRATIONS.slice(0, 1));
  const rows = ["end/a", "event/a/1", "input/a/0", "snapshot/a"].map((key) => ({
    key,
    value: key,
  }));
  database.exec(
    `insert into turnkeep_sessions (session, tenant, agent, name, version, epoch, is_busy, updated_at, record)
     values (7, '${KEY.scope.tenant}', '${KEY.agent}', '${KEY.sessionId}', 1, 0, 0, 0, '${JSON.stringify(headRecord())}')`,
  );
  for (const { key, value } of rows) {
    const table = key === "snapshot/a" ? "turnkeep_lasting_rows" : "turnkeep_short_rows";
    database.exec(`insert into ${table} (session, key, value) values (7, '${key}', '${value}')`);
  }
  database.close();
  const store = await openSqliteStore(path);
  expect(store.schema).toEqual({ found: 1, version: MIGRATIONS.length });
  const query = { range: ["", "z"], limit: 10, maxBytes: 1000 } as const;
  expect(await store.range(KEY, query)).toEqual(rows);
  const doubled = { expect: 1, record: headRecord(), put: [{ key: "end/a", value: "other" }] };
  expect(await store.commit(KEY, doubled)).toBe("conflict");
  await store.close();
});

it("refuses a schema from a newer version and names both", async () => {
  const path = temporaryFile();
  await (await openSqliteStore(path)).close();
  const database = new DatabaseSync(path);
  database.exec("insert into turnkeep_schema (version) values (99)");
  database.close();
  await expect(openSqliteStore(path)).rejects.toMatchObject({
    status: "FAILED_PRECONDITION",
    reason: "SCHEMA_TOO_NEW",
    message: expect.stringMatching(/version 99.*up to 2\b/),
  });
});

it("says that a file is no database", async () => {
  const path = temporaryFile();
  writeFileSync(path, "no database ".repeat(1000));
  await expect(openSqliteStore(path)).rejects.toMatchObject({ status: "DATA_LOSS" });
});

it("says that a directory is missing", async () => {
  await expect(openSqliteStore(join(temporaryFile(), "store.db"))).rejects.toMatchObject({
    status: "FAILED_PRECONDITION",
    reason: "STORE_UNSUITABLE",
  });
});

it("waits for a lock without holding up the event loop", async () => {
  const path = temporaryFile();
  const store = await openSqliteStore(path);
  const other = new DatabaseSync(path);
  other.exec("begin immediate");
  const commit = store.commit(KEY, { expect: 0, record: headRecord() });
  // If it held up the event loop, it would have given up before this many turns.
  for (let turns = 0; turns < 20; turns += 1) await setTimeout(1);
  expect((await store.load(KEY)).version).toBe(0);
  other.exec("commit");
  expect(await commit).toBe("ok");
  other.close();
  await store.close();
});

it("gives up on a lock after some seconds, and can be asked again", async () => {
  const path = temporaryFile();
  const store = await openSqliteStore(path);
  const other = new DatabaseSync(path);
  other.exec("begin immediate");
  const start = performance.now();
  const commits = [1, 2, 3].map((id) =>
    store.commit(keyOf(`session-${id}`), { expect: 0, record: headRecord() }),
  );
  for (const outcome of await Promise.allSettled(commits)) {
    expect(outcome).toMatchObject({
      reason: { status: "UNAVAILABLE", reason: "STORE_BUSY", retryable: true },
    });
  }
  expect(performance.now() - start).toBeGreaterThan(3000);
  other.exec("rollback");
  other.close();
  expect(await store.commit(KEY, { expect: 0, record: headRecord() })).toBe("ok");
  await store.close();
});

it("gives the space of swept rows back", async () => {
  const path = temporaryFile();
  const store = await openSqliteStore(path);
  const put = Array.from({ length: 2000 }, (_, index) => ({
    key: `event/1/${String(index).padStart(6, "0")}`,
    value: JSON.stringify("x".repeat(2000)),
  }));
  await store.commit(KEY, { expect: 0, record: headRecord(), put });
  const full = store.storedBytes();
  await store.commit(KEY, { expect: 1, record: headRecord(), drop: [["event/", "event/~"]] });
  await store.sweep();
  expect(full).toBeGreaterThan(4_000_000);
  expect(store.storedBytes()).toBeLessThan(400_000);
  expect(statSync(path).size).toBeLessThan(400_000);
  expect(statSync(`${path}-wal`).size).toBe(0);
  await store.close();
});

it("needs at most 1.5 times the bytes of a talk of 1,000 turns of 2 KB", async () => {
  const store = await openSqliteStore(temporaryFile());
  for (let turn = 0; turn < 1000; turn += 1) {
    const id = String(turn).padStart(6, "0");
    const put = [
      { key: `input/${id}/000000`, value: JSON.stringify("x".repeat(1024)) },
      { key: `event/${id}/000001`, value: JSON.stringify("x".repeat(1024)) },
      { key: `delta/000000/${id}`, value: JSON.stringify({ messages: "x".repeat(2048), keep: 2 }) },
      { key: `snapshot/01kabcdefghijklmnop${id}`, value: JSON.stringify("x".repeat(348)) },
    ];
    await store.commit(KEY, {
      expect: turn,
      record: headRecord({ rev: turn, updatedAt: turn }),
      put,
    });
  }
  const drop = [
    ["event/", "event/~"],
    ["input/", "input/~"],
  ] as const;
  await store.commit(KEY, { expect: 1000, record: headRecord(), drop });
  await store.sweep();
  expect(store.storedBytes() / (1000 * 2048)).toBeLessThan(1.5);
  await store.close();
});
