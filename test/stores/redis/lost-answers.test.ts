import { Redis } from "ioredis";
import { openRedisStore, type RedisStore } from "turnkeep/stores/redis";
import { activeTurn, headRecord } from "turnkeep/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { redisUrl } from "../../support/redis-url.ts";
import { Ledger, UnknownOutcomeError } from "../../../src/ledger/index.ts";
import { redisPlace } from "../../support/places/redis-place.ts";
import type { Place } from "../../support/places/place.ts";
import { FaultProxy } from "../../support/fault-proxy.ts";
import { PATIENT } from "./patience.ts";
import { keyOf } from "./session-keys.ts";

const url = redisUrl;
const KEY = keyOf("session");

describe.skipIf(url === "")("an answer that is lost on the way", () => {
  let proxy: FaultProxy;
  let place: Place;
  let prefix = "";

  beforeAll(async () => {
    proxy = await FaultProxy.start(Number(new URL(url).port));
  });
  afterAll(() => proxy.stop());
  beforeEach(async () => {
    place = await redisPlace(url);
    prefix = place.settings?.["prefix"] ?? "";
    return () => place.remove();
  });

  /** Cuts the connection after the commit has reached the server. */
  async function loseCommit(store: RedisStore): Promise<unknown> {
    await store.commit(KEY, { expect: 0, record: headRecord() });
    proxy.cutAfter("canary");
    const put = [{ key: "run/1", value: '"canary"' }];
    return store
      .commit(KEY, { expect: 1, record: headRecord({ rev: 1 }), put })
      .catch((error: unknown) => error);
  }

  it("of a commit on a client of its own is reported at once, and the store goes on", async () => {
    const store = await openRedisStore({ url: proxy.addressFor(url), prefix, timeoutMs: 600_000 });
    expect(UnknownOutcomeError.is(await loseCommit(store))).toBe(true);
    const { version, rows } = await store.load(KEY, { rows: ["run/1"] });
    expect([version, rows.size]).toEqual([2, 1]);
    await store.close();
  });

  it("of a commit that the client of the caller sends again is not taken for a conflict", async () => {
    const client = new Redis(proxy.addressFor(url)).on("error", () => {});
    const store = await openRedisStore({ client, prefix });
    expect(UnknownOutcomeError.is(await loseCommit(store))).toBe(true);
    expect((await store.load(KEY)).version).toBe(2);
    // A conflict long after a loss is one.
    expect(await store.commit(KEY, { expect: 1, record: headRecord() })).toBe("conflict");
    await store.close();
    client.disconnect();
  });

  it("of an append is retryable, and the append is written once", async () => {
    const store = await openRedisStore({ url: proxy.addressFor(url), prefix });
    await store.commit(KEY, { expect: 0, record: headRecord({ active: activeTurn() }) });
    const rows = [{ key: "event/1/000001", value: '"canary"' }];
    const append = { key: KEY, fence: { snapshotId: "snapshot-1", epoch: 1 }, rows };
    proxy.cutAfter("canary");
    await expect(store.append([append])).rejects.toMatchObject({
      status: "UNAVAILABLE",
      retryable: true,
    });
    expect(await store.append([append])).toEqual(["ok"]);
    expect((await store.load(KEY, { ranges: [["!", "~"]] })).rows.size).toBe(1);
    await store.close();
  });

  it("leaves the ledger with one turn, accepted once", async () => {
    const store = await openRedisStore({ url: proxy.addressFor(url), prefix });
    const ledger = new Ledger({ store });
    proxy.cutAfter("the canary sings");
    const input = { role: "user", content: [{ text: "the canary sings" }] };
    const answer = await ledger.accept(KEY, { input, begin: true });
    expect(answer).toMatchObject({ kind: "accepted" });
    const { record } = await store.load(KEY);
    expect(record?.active).not.toBeNull();
    expect(record?.queue).toEqual([]);
    await store.close();
  });

  it("when the server keeps silent, a call fails in time and the store connects anew", async () => {
    const store = await openRedisStore({ url: proxy.addressFor(url), prefix, timeoutMs: 1500 });
    await store.commit(KEY, { expect: 0, record: headRecord() });
    const connections = proxy.connections;
    proxy.traffic = "drop";
    await expect(store.load(KEY)).rejects.toMatchObject({ status: "UNAVAILABLE", retryable: true });
    const commit = store.commit(KEY, { expect: 1, record: headRecord() });
    expect(UnknownOutcomeError.is(await commit.catch((error: unknown) => error))).toBe(true);
    proxy.traffic = "pass";
    await expect
      .poll(() => store.load(KEY).catch(() => undefined), PATIENT)
      .toMatchObject({ version: 1 });
    expect(proxy.connections).toBeGreaterThan(connections);
    await store.close();
  });

  it("when the client of the caller waits without end, the store does not", async () => {
    const client = new Redis(proxy.addressFor(url), { maxRetriesPerRequest: null });
    client.on("error", () => {});
    const store = await openRedisStore({ client, prefix, timeoutMs: 1500 });
    proxy.traffic = "drop";
    await expect(store.load(KEY)).rejects.toMatchObject({ status: "UNAVAILABLE", retryable: true });
    proxy.traffic = "pass";
    proxy.reset();
    await expect
      .poll(() => store.load(KEY).catch(() => undefined), PATIENT)
      .toMatchObject({ version: 0 });
    await store.close();
    client.disconnect();
  });
});
