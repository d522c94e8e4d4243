import { copyFileSync, existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { expect, it, vi } from "vitest";
import { DatabaseSync } from "./database-sync.ts";
import { freeze } from "../../support/freeze.ts";
import { childrenOf } from "../../support/run-child.ts";
import { keyOf } from "./session-keys.ts";
import { temporaryFile } from "./temporary-file.ts";

const { runChild, startChild } = childrenOf(new URL("child.ts", import.meta.url));

const KEY = keyOf("shared");

function checkIntegrity(path: string): unknown {
  const database = new DatabaseSync(path);
  try {
    return Object.values(database.prepare("pragma integrity_check").get() as object)[0];
  } finally {
    database.close();
  }
}

it("several processes on one file lose no update", async () => {
  const path = temporaryFile();
  const codes = await Promise.all(
    Array.from({ length: 4 }, () => runChild("increment", path, "100")),
  );
  expect(codes).toEqual([0, 0, 0, 0]);
  const store = await openSqliteStore(path);
  const { version, record } = await store.load(KEY);
  expect({ version, rev: record?.rev }).toEqual({ version: 400, rev: 400 });
  await store.close();
});

it("eight processes that open a new file at once migrate it once", async () => {
  const path = temporaryFile();
  const codes = await Promise.all(Array.from({ length: 8 }, () => runChild("open", path)));
  expect(codes).toEqual(Array.from({ length: 8 }, () => 0));
  const database = new DatabaseSync(path);
  expect(database.prepare("select version from turnkeep_schema").all()).toHaveLength(2);
  database.close();
});

it("a process that is killed while it opens a new file leaves one that opens", async () => {
  const path = temporaryFile();
  const ends: (number | string)[] = [];
  // Up to 23 statements, from the first pragma to the commit of the migration.
  for (let statement = 1; statement <= 23; statement += 2) {
    ends.push(await runChild("die-opening", path, String(statement)));
  }
  expect(new Set(ends)).toEqual(new Set(["SIGKILL", 0]));
  expect(ends.filter((end) => end === "SIGKILL").length).toBeGreaterThan(6);
  const store = await openSqliteStore(path);
  expect((await store.load(KEY)).version).toBe(0);
  await store.close();
  expect(checkIntegrity(path)).toBe("ok");
});

it("whatever moment a writing process is stopped at, the files hold all it acknowledged", async () => {
  const path = temporaryFile();
  const child = startChild("write", path);
  const progress = { acknowledged: 0 };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    progress.acknowledged = Number(text.trim().split("\n").at(-1));
  });
  await vi.waitUntil(() => progress.acknowledged > 0, { timeout: 100_000 });
  for (let round = 0; round < 20; round += 1) {
    await setTimeout(20 + round);
    await freeze(child);
    const copy = temporaryFile("copy.db");
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const known = progress.acknowledged;
    const store = await openSqliteStore(copy);
    const { record, rows } = await store.load(KEY, { ranges: [["snapshot/", "snapshot/~"]] });
    await store.close();
    expect(rows.size).toBe(record?.rev);
    expect(rows.size).toBeGreaterThanOrEqual(known);
    expect(checkIntegrity(copy)).toBe("ok");
    child.kill("SIGCONT");
  }
  child.kill("SIGKILL");
});
