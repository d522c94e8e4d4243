import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { openRedisStore } from "turnkeep/stores/redis";
import { activeTurn, headRecord } from "turnkeep/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisUrl } from "../../support/redis-url.ts";
import { createScope, createSessionKey } from "../../../src/ledger/index.ts";
import { type OwnServer, startOwnServer } from "./own-server.ts";
import { PATIENT } from "./patience.ts";

const CANARY = "canary-7f3a";
const KEY = createSessionKey(createScope(`${CANARY}-tenant`), `${CANARY}-agent`, `${CANARY}-id`);

describe.skipIf(redisUrl === "")("erasing a session", () => {
  let server: OwnServer;
  let client: Redis;

  beforeAll(async () => {
    // No compression in dumps, so that what they hold can be seen.
    server = await startOwnServer(["--appendonly", "yes", "--rdbcompression", "no"]);
    client = new Redis(server.url);
  });
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  /** Everything the server holds in memory, keys and values. */
  async function everything(): Promise<string> {
    const keys = await client.keys("*");
    const dumps = await Promise.all(keys.map((key) => client.dumpBuffer(key)));
    return [...keys, ...dumps.map((dump) => dump?.toString("latin1") ?? "")].join("\n");
  }

  function everythingOnDisk(): string {
    const files = readdirSync(server.directory, { recursive: true, withFileTypes: true });
    return files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"))
      .join("\n");
  }

  async function rewriteLog(): Promise<void> {
    await client.bgrewriteaof();
    await expect
      .poll(
        async () => /aof_rewrite_(in_progress|scheduled):1/.test(await client.info("persistence")),
        PATIENT,
      )
      .toBe(false);
  }

  it("leaves nothing of it: no key, no value, no index entry, and after a rewrite no trace on disk", async () => {
    const store = await openRedisStore({ client, prefix: "erase" });
    const record = headRecord({ head: CANARY, active: activeTurn(), dueAt: 1, sweepAt: 1 });
    const put = [{ key: "snapshot/1", value: JSON.stringify(`${CANARY} said`) }];
    await store.commit(KEY, { expect: 0, record, put });
    const rows = [{ key: "event/1/000001", value: JSON.stringify(CANARY) }];
    await store.append([{ key: KEY, fence: { snapshotId: "snapshot-1", epoch: 1 }, rows }]);
    expect(await everything()).toContain(`${CANARY} said`);
    expect(everythingOnDisk()).toContain(CANARY);

    const tombstone = headRecord({ epoch: 2, deletedAt: 1, sweepAt: 2 });
    await store.commit(KEY, { expect: 1, record: tombstone, drop: "all" });
    expect(await everything()).not.toContain(`${CANARY} said`);
    expect(await client.keys("*:list:*")).toEqual([]);
    expect(await client.keys("*:work")).toEqual([]);
    expect(await client.keys("*:sweep")).toHaveLength(1);

    await store.commit(KEY, { expect: 2, record: null });
    await store.sweep();
    expect(await everything()).not.toContain(CANARY);
    expect(await client.keys("*")).toEqual(["{erase}:layout"]);
    await rewriteLog();
    expect(everythingOnDisk()).not.toContain(CANARY);
    await store.close();
  });

  it("leaves nothing of one that was never marked as deleted", async () => {
    const store = await openRedisStore({ client, prefix: "erase" });
    const record = headRecord({ active: activeTurn(), dueAt: 1, sweepAt: 1 });
    await store.commit(KEY, { expect: 0, record, put: [{ key: "snapshot/1", value: "1" }] });
    expect(await client.keys("*")).toHaveLength(6);
    await store.commit(KEY, { expect: 1, record: null });
    expect(await client.keys("*")).toEqual(["{erase}:layout"]);
    await store.close();
  });
});
