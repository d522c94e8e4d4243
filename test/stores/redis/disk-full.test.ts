import { randomBytes } from "node:crypto";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRedisStore } from "turnkeep/stores/redis";
import { activeTurn, headRecord } from "turnkeep/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { redisUrl } from "../../support/redis-url.ts";
import type { SessionStore } from "../../../src/ledger/index.ts";
import { withSmallDisk } from "../../support/small-disk.ts";
import { startOwnServer } from "./own-server.ts";
import { PATIENT } from "./patience.ts";
import { keyOf } from "./session-keys.ts";

const KEY = keyOf("session");
const AWAY = { status: "UNAVAILABLE", retryable: true };
const FULL = { ...AWAY, reason: "STORAGE_FULL" };

describe.skipIf(redisUrl === "")("a Redis whose disk is full", () => {
  it("that writes every second refuses writes, and goes on by itself once there is space", async (context) => {
    await withSmallDisk(context, "8m", async (disk) => {
      const { server, store, ballast } = await startOn(disk, "everysec");
      const { acknowledged, failure } = await writeUntilRefused(store);
      expect(failure).toMatchObject(FULL);
      expect(await namesIn(store)).toEqual(acknowledged);

      rmSync(ballast);
      await expect.poll(() => append(store, "event/2").catch(() => null), PATIENT).toEqual(["ok"]);
      await server.kill();
      await server.restart();
      const all = [...acknowledged, "event/2"];
      await expect.poll(() => namesIn(store).catch(() => []), PATIENT).toEqual(all);
    });
  });

  it("that writes always stops; once there is space, all that was acknowledged is there", async (context) => {
    await withSmallDisk(context, "8m", async (disk) => {
      const { server, store, ballast } = await startOn(disk, "always");
      const { acknowledged, failure } = await writeUntilRefused(store);
      expect(failure).toMatchObject(AWAY);

      rmSync(ballast);
      await server.restart();
      const all = expect.arrayContaining([...acknowledged]) as string[];
      await expect.poll(() => namesIn(store).catch(() => []), PATIENT).toEqual(all);
      expect(await append(store, "event/2")).toEqual(["ok"]);
    });
  });
});

/** A server that keeps its log on the disk, of which little is left. */
async function startOn(disk: string, appendfsync: "always" | "everysec") {
  const place = ["--dir", disk, "--appendonly", "yes", "--appendfsync", appendfsync];
  const server = await startOwnServer(place);
  onTestFinished(() => server.stop());
  const store = await openRedisStore({ url: server.url, prefix: "full" });
  onTestFinished(() => store.close());
  const record = headRecord({ active: activeTurn() });
  expect(await store.commit(KEY, { expect: 0, record })).toBe("ok");
  const ballast = join(disk, "ballast");
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc((bavail * bsize) / 2));
  return { server, store, ballast };
}

async function writeUntilRefused(
  store: SessionStore,
): Promise<{ readonly acknowledged: readonly string[]; readonly failure: unknown }> {
  const acknowledged: string[] = [];
  for (let index = 0; ; index += 1) {
    const name = `event/1/${String(index).padStart(6, "0")}`;
    try {
      await append(store, name);
    } catch (failure) {
      return { acknowledged, failure };
    }
    acknowledged.push(name);
  }
}

async function append(store: SessionStore, key: string): Promise<unknown> {
  const value = JSON.stringify(randomBytes(10_000).toString("base64"));
  const fence = { snapshotId: "snapshot-1", epoch: 1 };
  return await store.append([{ key: KEY, fence, rows: [{ key, value }] }]);
}

async function namesIn(store: SessionStore): Promise<readonly string[]> {
  const range = ["event/", "event/~"] as const;
  const rows = await store.range(KEY, { range, limit: 100_000, maxBytes: 1e9 });
  return rows.map(({ key }) => key);
}
