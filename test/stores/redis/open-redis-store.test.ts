import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { openRedisStore, type OpenRedisStoreOptions, RedisStore } from "turnkeep/stores/redis";
import { fakeClock, headRecord } from "turnkeep/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisUrl } from "../../support/redis-url.ts";
import { layoutKey } from "../../../src/stores/redis/redis-keys.ts";
import { findFreePort } from "../../support/services-server.ts";
import { PATIENT } from "./patience.ts";
import { keyOf } from "./session-keys.ts";

const url = redisUrl;
const KEY = keyOf("session");

describe.skipIf(url === "")("opening a Redis store", () => {
  let client: Redis;
  const prefixes: string[] = [];

  beforeAll(() => {
    client = new Redis(url);
  });
  afterAll(async () => {
    for (const prefix of prefixes) {
      const keys = await client.keys(`{${prefix}*`);
      if (keys.length > 0) await client.del(keys);
    }
    client.disconnect();
  });

  function newPrefix(): string {
    const prefix = `test-${randomUUID()}`;
    prefixes.push(prefix);
    return prefix;
  }

  it.each<[string, object]>([
    ["prefix", {}],
    ["prefix", { prefix: "" }],
    ["prefix", { prefix: 7 }],
    ["prefix", { prefix: "a{b}" }],
    ["prefix", { prefix: "a b" }],
    ["prefix", { prefix: "a\0" }],
    ["prefix", { prefix: "a".repeat(65) }],
    ["buckets", { buckets: 0 }],
    ["buckets", { buckets: 1025 }],
    ["buckets", { buckets: 1.5 }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["timeoutMs", { timeoutMs: Number.NaN }],
    ["ephemeral", { ephemeral: "yes" }],
    ["insecure", { insecure: 1 }],
    ["durability", { durability: "none" }],
    ["durability", { durability: "surely" }],
    ["url", { url: "http://127.0.0.1" }],
    ["url", { url: "127.0.0.1:6379" }],
    ["url", { url: 7 }],
    ["url", { url: undefined }],
    ["client", { client: {} }],
    ["client", { url: undefined, client: {} }],
    ["client", { url: undefined, client: null }],
  ])("refuses a wrong %s: %o", async (field, wrong) => {
    const right = field === "prefix" ? { url } : { url, prefix: "right" };
    const options = { ...right, ...wrong } as OpenRedisStoreOptions;
    await expect(openRedisStore(options)).rejects.toMatchObject({
      status: "INVALID_ARGUMENT",
      details: { field },
    });
  });

  it("refuses a client that puts its own prefix before keys", () => {
    const prefixed = new Redis(url, { keyPrefix: "{x}", lazyConnect: true });
    expect(() => new RedisStore({ client: prefixed, prefix: "right" })).toThrow("keyPrefix");
  });

  it("leaves a client connected, and as it was, that it did not make", async () => {
    const listeners = client.eventNames().map((name) => client.listenerCount(name));
    const store = await openRedisStore({ client, prefix: newPrefix() });
    expect(await store.commit(KEY, { expect: 0, record: headRecord() })).toBe("ok");
    await store.close();
    expect(await client.ping()).toBe("PONG");
    expect(client.eventNames().map((name) => client.listenerCount(name))).toEqual(listeners);
  });

  it("disconnects a client that it made, and that of its watchers", async () => {
    const name = `turnkeep-${randomUUID()}`;
    const own = new URL(url);
    own.searchParams.set("connectionName", name);
    const connections = async (): Promise<number> =>
      String(await client.client("LIST")).split(`name=${name}`).length - 1;
    const store = await openRedisStore({ url: own.href, prefix: newPrefix() });
    const changes = store.watch(KEY, { signal: new AbortController().signal });
    const watched = changes[Symbol.asyncIterator]();
    await watched.next();
    await expect.poll(connections, PATIENT).toBe(2);
    await store.close();
    expect((await watched.next()).done).toBe(true);
    await expect.poll(connections, PATIENT).toBe(0);
  });

  it("refuses calls before it is opened, and when its client has ended", async () => {
    const own = new Redis(url);
    const store = new RedisStore({ client: own, prefix: newPrefix() });
    expect(store.capabilities.durability).toBe("none");
    await expect(store.load(KEY)).rejects.toMatchObject({ status: "FAILED_PRECONDITION" });
    await store.open();
    expect(store.capabilities.durability).not.toBe("none");
    await own.quit();
    await expect.poll(() => own.status, PATIENT).toBe("end");
    await expect(store.load(KEY)).rejects.toMatchObject({ reason: "STORE_CLOSED" });
    await expect(store.commit(KEY, { expect: 0, record: headRecord() })).rejects.toMatchObject({
      reason: "STORE_CLOSED",
    });
    await store.close();
  });

  it("says that nobody is there", async () => {
    const nowhere = `redis://127.0.0.1:${await findFreePort()}`;
    await expect(openRedisStore({ url: nowhere, prefix: "right" })).rejects.toMatchObject({
      status: "UNAVAILABLE",
      retryable: true,
    });
  });

  it("keeps the number of buckets that it was made with", async () => {
    const prefix = newPrefix();
    const store = await openRedisStore({ url, prefix, buckets: 3 });
    const keys = Array.from({ length: 50 }, (_, index) => keyOf(`session-${index}`));
    await Promise.all(keys.map((key) => store.commit(key, { expect: 0, record: headRecord() })));
    await store.close();
    const tags = (await client.keys(`{${prefix}.*`)).map((key) => key.slice(0, key.indexOf("}")));
    expect(new Set(tags).size).toBe(3);
    await expect(openRedisStore({ url, prefix, buckets: 4 })).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
      reason: "STORE_UNSUITABLE",
      details: { found: 3, wanted: 4 },
    });
    const again = await openRedisStore({ url, prefix });
    expect((await again.list(KEY.scope, { limit: 100 })).sessions).toHaveLength(50);
    await again.close();
  });

  it("refuses data of a newer version, and a prefix that something else uses", async () => {
    const prefix = newPrefix();
    await client.set(layoutKey(prefix), JSON.stringify({ schema: 2, buckets: 16 }));
    await expect(openRedisStore({ url, prefix })).rejects.toMatchObject({
      reason: "SCHEMA_TOO_NEW",
    });
    await client.set(layoutKey(prefix), "something else");
    await expect(openRedisStore({ url, prefix })).rejects.toMatchObject({
      reason: "STORE_UNSUITABLE",
    });
  });

  it("keeps stores with different prefixes apart", async () => {
    const [one, other] = await Promise.all(
      [newPrefix(), newPrefix()].map((prefix) => openRedisStore({ client, prefix })),
    );
    await one?.commit(KEY, { expect: 0, record: headRecord({ dueAt: 1 }) });
    expect((await other?.load(KEY))?.version).toBe(0);
    expect(await other?.due({ kind: "work", limit: 10 })).toEqual([]);
    await Promise.all([one?.close(), other?.close()]);
  });

  it("goes by the server's clock, or by the one it is given", async () => {
    const clock = fakeClock();
    const prefix = newPrefix();
    const [real, fake] = await Promise.all([
      openRedisStore({ client, prefix }),
      openRedisStore({ client, prefix, clock }),
    ]);
    const [seconds] = await client.time();
    expect(Math.abs((await real.load(KEY)).now - Number(seconds) * 1000)).toBeLessThan(5000);
    expect((await fake.load(KEY)).now).toBe(clock.now());
    await fake.commit(KEY, { expect: 0, record: headRecord({ dueAt: clock.now() + 10 }) });
    expect(await fake.due({ kind: "work", limit: 10 })).toEqual([]);
    clock.advance(10);
    expect(await fake.due({ kind: "work", limit: 10 })).toEqual([KEY]);
    await Promise.all([real.close(), fake.close()]);
  });
});
