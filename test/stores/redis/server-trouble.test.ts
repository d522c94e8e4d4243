import { Redis } from "ioredis";
import { openRedisStore } from "turnkeep/stores/redis";
import { activeTurn, headRecord } from "turnkeep/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisUrl } from "../../support/redis-url.ts";
import { type SessionStore, UnknownOutcomeError } from "../../../src/ledger/index.ts";
import { toStoreError } from "../../../src/stores/redis/to-store-error.ts";
import { type OwnServer, startOwnServer } from "./own-server.ts";
import { PATIENT } from "./patience.ts";
import { keyOf } from "./session-keys.ts";

const RUNNING = headRecord({ active: activeTurn() });
const FENCE = { snapshotId: "snapshot-1", epoch: 1 };
const KILLS = 20;
const AWAY = { status: "UNAVAILABLE", retryable: true };

/** Appends one row after the other until the server is gone, and tells which were acknowledged. */
async function writeUntilGone(
  store: SessionStore,
  sessionId: string,
  onWritten: () => void,
): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  for (let index = 0; ; index += 1) {
    const key = `event/1/${String(index).padStart(6, "0")}`;
    const rows = [{ key, value: JSON.stringify("x".repeat(500)) }];
    try {
      await store.append([{ key: keyOf(sessionId), fence: FENCE, rows }]);
    } catch (error) {
      expect(error).toMatchObject(AWAY);
      return acknowledged;
    }
    acknowledged.push(key);
    onWritten();
  }
}

describe.skipIf(redisUrl === "")("a server in trouble", () => {
  let server: OwnServer;
  let admin: Redis;

  beforeAll(async () => {
    server = await startOwnServer(["--appendonly", "yes", "--appendfsync", "always"]);
    admin = new Redis(server.url);
    admin.on("error", () => {});
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  it("loses nothing acknowledged when it is killed, and the same store goes on", async () => {
    const store = await openRedisStore({ url: server.url, prefix: "killed" });
    expect(store.capabilities.durability).toBe("power-loss");
    const ids = Array.from({ length: 8 }, (_, index) => `session-${index}`);
    for (const id of ids) await store.commit(keyOf(id), { expect: 0, record: RUNNING });
    for (let round = 0; round < KILLS; round += 1) {
      let written = 0;
      const writers = ids.map((id) =>
        writeUntilGone(store, id, () => {
          written += 1;
        }),
      );
      await expect.poll(() => written, PATIENT).toBeGreaterThan(50);
      await server.kill();
      const acknowledged = await Promise.all(writers);
      await server.restart();
      await expect
        .poll(() => store.load(keyOf("session-0")).catch(() => null), PATIENT)
        .toBeTruthy();
      for (const [index, id] of ids.entries()) {
        const view = await store.load(keyOf(id), { ranges: [["event/", "event/~"]] });
        expect([...view.rows.keys()]).toEqual(
          expect.arrayContaining([...(acknowledged[index] ?? [])]),
        );
        // The next round begins anew.
        const commit = { expect: view.version, record: RUNNING, drop: "all" } as const;
        expect(await store.commit(keyOf(id), commit)).toBe("ok");
      }
    }
    await store.close();
  });

  it("that is down fails calls at once, and commits with an outcome to look for", async () => {
    const store = await openRedisStore({
      url: server.url,
      prefix: "down",
      timeoutMs: 600_000,
    });
    await server.kill();
    await expect(store.load(keyOf("session"))).rejects.toMatchObject(AWAY);
    await expect(store.list(keyOf("session").scope, { limit: 1 })).rejects.toMatchObject(AWAY);
    await expect(store.due({ kind: "work", limit: 1 })).rejects.toMatchObject(AWAY);
    const commit = store.commit(keyOf("session"), { expect: 0, record: RUNNING });
    expect(UnknownOutcomeError.is(await commit.catch((error: unknown) => error))).toBe(true);
    await server.restart();
    await expect.poll(() => store.load(keyOf("session")).catch(() => null), PATIENT).toBeTruthy();
    await store.close();
  });

  it("that forgot the scripts is told them again", async () => {
    const store = await openRedisStore({ url: server.url, prefix: "scripts" });
    await admin.script("FLUSH");
    expect(await store.commit(keyOf("session"), { expect: 0, record: RUNNING })).toBe("ok");
    expect((await store.load(keyOf("session"))).version).toBe(1);
    await store.close();
  });

  it("whose memory is full says so, still reads, and lets sessions be deleted", async () => {
    const store = await openRedisStore({ url: server.url, prefix: "full" });
    const key = keyOf("session");
    const put = [{ key: "snapshot/1", value: JSON.stringify("x".repeat(100_000)) }];
    await store.commit(key, { expect: 0, record: RUNNING, put });
    await admin.config("SET", "maxmemory", "1mb");
    const full = { ...AWAY, reason: "STORAGE_FULL" };
    const rows = [{ key: "event/1/000001", value: "1" }];
    await expect(store.append([{ key, fence: FENCE, rows }])).rejects.toMatchObject(full);
    const more = { expect: 1, record: headRecord({ rev: 7 }), put: rows };
    await expect(store.commit(key, more)).rejects.toMatchObject(full);
    const added = { expect: 0, record: RUNNING };
    await expect(store.commit(keyOf("new"), added)).rejects.toMatchObject(full);
    expect((await store.load(key, { rows: ["snapshot/1"] })).rows.size).toBe(1);
    const tombstone = headRecord({ deletedAt: 1, sweepAt: 1 });
    expect(await store.commit(key, { expect: 1, record: tombstone, drop: "all" })).toBe("ok");
    expect(await store.commit(key, { expect: 2, record: null })).toBe("ok");
    await admin.config("SET", "maxmemory", "0");
    expect(await store.commit(key, { expect: 0, record: RUNNING, put })).toBe("ok");
    await store.close();
  });

  it("that becomes a replica refuses writes until it is a primary again", async () => {
    const store = await openRedisStore({ url: server.url, prefix: "replica" });
    const key = keyOf("session");
    await store.commit(key, { expect: 0, record: RUNNING });
    await admin.call("replicaof", "127.0.0.1", "1");
    const commit = store.commit(key, { expect: 1, record: RUNNING });
    await expect(commit).rejects.toMatchObject({ ...AWAY, reason: "STORAGE_READ_ONLY" });
    await admin.call("replicaof", "no", "one");
    expect(await store.commit(key, { expect: 1, record: RUNNING })).toBe("ok");
    await store.close();
  });
});

it.each([
  ["OOM command not allowed when used memory > 'maxmemory'.", "UNAVAILABLE"],
  ["MISCONF Errors writing to the AOF file: No space left on device", "UNAVAILABLE"],
  ["READONLY You can't write against a read only replica.", "UNAVAILABLE"],
  ["LOADING Redis is loading the dataset in memory", "UNAVAILABLE"],
  ["BUSY Redis is busy running a script.", "UNAVAILABLE"],
  ["CLUSTERDOWN Hash slot not served", "UNAVAILABLE"],
  ["CLUSTERDOWN The cluster is down", "UNAVAILABLE"],
  ["MASTERDOWN Link with MASTER is down", "UNAVAILABLE"],
  ["MOVED 3999 10.0.0.7:6381", "UNAVAILABLE"],
  ["ASK 3999 10.0.0.7:6381", "UNAVAILABLE"],
  ["TRYAGAIN Multiple keys request during rehashing of slot", "UNAVAILABLE"],
  ["NOREPLICAS Not enough good replicas to write.", "UNAVAILABLE"],
  ["NOAUTH Authentication required.", "FAILED_PRECONDITION"],
  ["WRONGPASS invalid username-password pair", "FAILED_PRECONDITION"],
  ["NOPERM this user has no permissions to run the 'evalsha' command", "FAILED_PRECONDITION"],
  ["WRONGTYPE Operation against a key holding the wrong kind of value", "INTERNAL"],
])("what Redis means by %j, and not what it says", (said, status) => {
  const error = toStoreError(Object.assign(new Error(said), { name: "ReplyError" }));
  expect(error).toMatchObject({ status, retryable: status === "UNAVAILABLE" });
  expect(error.message).not.toContain(said);
  expect(error.message).not.toMatch(/10\.0\.0\.7/);
});
