import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync, rmSync, statfsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { openPostgresStore } from "turnkeep/stores/postgres";
import { activeTurn, headRecord } from "turnkeep/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SessionStore } from "../../../src/ledger/index.ts";
import { CrashableServer } from "../../support/crashable-server.ts";
import { NOBODY } from "../../support/services-postgres.ts";
import { withSmallDisk } from "../../support/small-disk.ts";
import { keyOf, URL_OF_SERVER } from "./database.ts";

const KEY = keyOf("session");
const AWAY = { status: "UNAVAILABLE", retryable: true };
const FULL = { ...AWAY, reason: "STORAGE_FULL" };
const MEBIBYTE = 1024 * 1024;

describe.skipIf(URL_OF_SERVER === "")("a Postgres whose disk is full", { timeout: 300_000 }, () => {
  it("refuses what takes space, loses nothing acknowledged, and goes on once there is some", async (context) => {
    await withSmallDisk(context, "32m", async (disk) => {
      const server = await startServer();
      const store = await openStore(await createDatabaseOn(server.url, disk));
      const ballast = fillAllBut(disk, 3 * MEBIBYTE);
      const { acknowledged, failure } = await writeUntilRefused(store);
      expect(failure).toMatchObject(FULL);
      const commit = {
        expect: 1,
        record: headRecord({ active: activeTurn() }),
        put: [{ key: "snapshot/1", value: incompressible(200_000) }],
      };
      await expect(store.commit(KEY, commit)).rejects.toMatchObject(FULL);
      expect(await namesIn(store)).toEqual(acknowledged);

      rmSync(ballast);
      expect(await store.commit(KEY, commit)).toBe("ok");
      expect(await namesIn(store)).toEqual(acknowledged);
    });
  });

  it("stops when its log has no space; once there is some, all that was acknowledged is there", async (context) => {
    await withSmallDisk(context, "64m", async (disk) => {
      const server = await startServer((data) => moveLog(join(data, "database"), disk));
      const store = await openStore(server.url);
      const ballast = fillAllBut(disk, MEBIBYTE);
      const { acknowledged, failure } = await writeUntilRefused(store);
      expect(failure).toMatchObject(AWAY);
      await store.load(KEY).catch((error: unknown) => expect(error).toMatchObject(AWAY));

      rmSync(ballast);
      // It may be at it by itself, or have given up: whoever made space starts it again.
      await server.crash();
      await server.restart();
      const names = (): Promise<readonly string[]> => namesIn(store).catch(() => []);
      const all = expect.arrayContaining([...acknowledged]) as string[];
      await expect.poll(names).toEqual(all);
      expect(await store.commit(KEY, { expect: 1, record: headRecord() })).toBe("ok");
    });
  });
});

async function startServer(arrange?: (data: string) => void): Promise<CrashableServer> {
  const server = await CrashableServer.start("postgres", arrange);
  onTestFinished(() => server.stop());
  return server;
}

/** With a session to write to. */
async function openStore(connectionString: string): Promise<SessionStore> {
  const store = await openPostgresStore({ connectionString });
  onTestFinished(() => store.close());
  const record = headRecord({ active: activeTurn() });
  expect(await store.commit(KEY, { expect: 0, record })).toBe("ok");
  return store;
}

/** A database whose tables are on the disk; the server's log is not. */
async function createDatabaseOn(url: string, disk: string): Promise<string> {
  const folder = join(disk, "tables");
  mkdirSync(folder);
  chownSync(folder, NOBODY.uid, NOBODY.gid);
  const client = new Client(url);
  await client.connect();
  await client.query(`create tablespace small location '${folder}'`);
  await client.query("create database small tablespace small");
  await client.end();
  return new URL("/small", url).href;
}

/** As `initdb --waldir` would have put it. */
function moveLog(database: string, disk: string): void {
  execFileSync("mv", [join(database, "pg_wal"), disk]);
  symlinkSync(join(disk, "pg_wal"), join(database, "pg_wal"));
}

function fillAllBut(disk: string, bytes: number): string {
  const ballast = join(disk, "ballast");
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - bytes));
  return ballast;
}

/** Three at a time, so that the disk also fills while others write. */
async function writeUntilRefused(
  store: SessionStore,
): Promise<{ readonly acknowledged: readonly string[]; readonly failure: unknown }> {
  const acknowledged: string[] = [];
  for (let round = 0; ; round += 1) {
    const names = [0, 1, 2].map((index) => `event/1/${String(3 * round + index).padStart(6, "0")}`);
    const outcomes = await Promise.allSettled(names.map((name) => append(store, name)));
    acknowledged.push(...names.filter((_, index) => outcomes[index]?.status === "fulfilled"));
    const refused = outcomes.find((outcome) => outcome.status === "rejected");
    if (refused) return { acknowledged, failure: refused.reason };
  }
}

async function append(store: SessionStore, key: string): Promise<void> {
  const rows = [{ key, value: incompressible(20_000) }];
  await store.append([{ key: KEY, fence: { snapshotId: "snapshot-1", epoch: 1 }, rows }]);
}

async function namesIn(store: SessionStore): Promise<readonly string[]> {
  const range = ["event/1/", "event/1/~"] as const;
  const rows = await store.range(KEY, { range, limit: 100_000, maxBytes: 1e9 });
  return rows.map(({ key }) => key);
}

function incompressible(bytes: number): string {
  return JSON.stringify(randomBytes(bytes).toString("base64"));
}
