import { Redis } from "ioredis";
import { openRedisStore, type RedisStore } from "turnkeep/stores/redis";
import { headRecord } from "turnkeep/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { Place } from "../../support/places/place.ts";
import { redisPlace } from "../../support/places/redis-place.ts";
import { FaultProxy } from "../../support/fault-proxy.ts";
import { PATIENT } from "./patience.ts";
import { keyOf } from "./session-keys.ts";

const url = inject("redisUrl");
const KEY = keyOf("session");

describe.skipIf(url === "")("watching a session", () => {
  let admin: Redis;
  let proxy: FaultProxy;
  let place: Place;
  let prefix = "";

  beforeAll(async () => {
    admin = new Redis(url);
    proxy = await FaultProxy.start(Number(new URL(url).port));
  });
  afterAll(async () => {
    admin.disconnect();
    await proxy.stop();
  });
  beforeEach(async () => {
    place = await redisPlace(url);
    prefix = place.settings?.["prefix"] ?? "";
    return () => place.remove();
  });

  const channels = async (): Promise<number> =>
    ((await admin.pubsub("CHANNELS", `{${prefix}*`)) as string[]).length;

  /** Watches, and tells when it was woken. */
  function watch(store: RedisStore): {
    readonly wakes: number[];
    readonly stop: () => Promise<void>;
  } {
    const wakes: number[] = [];
    const controller = new AbortController();
    const ended = (async () => {
      for await (const _ of store.watch(KEY, { signal: controller.signal })) {
        wakes.push(performance.now());
      }
    })();
    const stop = async (): Promise<void> => {
      controller.abort();
      await ended;
    };
    return { wakes, stop };
  }

  it("hears of a commit within a fraction of the time between two looks", async () => {
    const [store, other] = await Promise.all([
      openRedisStore({ url, prefix }),
      openRedisStore({ url, prefix }),
    ]);
    const { wakes, stop } = watch(store);
    await expect.poll(channels, PATIENT).toBe(1);
    const latencies: number[] = [];
    for (let version = 0; version < 20; version += 1) {
      const before = performance.now();
      const count = wakes.length;
      await other.commit(KEY, { expect: version, record: headRecord() });
      await expect.poll(() => wakes.length, PATIENT).toBeGreaterThan(count);
      latencies.push((wakes[count] ?? Infinity) - before);
    }
    expect(latencies.toSorted((one, two) => one - two)[10]).toBeLessThan(300);
    await stop();
    await Promise.all([store.close(), other.close()]);
  });

  it("uses one connection and one channel for many watchers, and leaves none behind", async () => {
    const store = await openRedisStore({ url, prefix });
    const watchers = Array.from({ length: 20 }, () => watch(store));
    await expect.poll(channels, PATIENT).toBe(1);
    for (const { stop } of watchers.slice(1)) await stop();
    expect(await channels()).toBe(1);
    await watchers[0]?.stop();
    await expect.poll(channels, PATIENT).toBe(0);
    const again = watch(store);
    await expect.poll(channels, PATIENT).toBe(1);
    await store.close();
    await again.stop();
    await expect.poll(channels, PATIENT).toBe(0);
  });

  it("subscribes anew when the connection was lost, and wakes everybody then", async () => {
    const store = await openRedisStore({ url: proxy.addressFor(url), prefix });
    const { wakes, stop } = watch(store);
    await expect.poll(channels, PATIENT).toBe(1);
    const waits: number[] = [];
    for (let cut = 0; cut < 6; cut += 1) {
      proxy.reset();
      await expect.poll(channels, PATIENT).toBe(0);
      const [count, before] = [wakes.length, performance.now()];
      await expect.poll(channels, PATIENT).toBe(1);
      await expect.poll(() => wakes.length, PATIENT).toBeGreaterThan(count);
      waits.push((wakes[count] ?? Infinity) - before);
    }
    // Well before the look that comes every second anyway.
    expect(waits.toSorted((one, two) => one - two)[4]).toBeLessThan(400);
    await stop();
    await store.close();
  });

  it("notices that its connection is dead although nobody said so", async () => {
    const store = await openRedisStore({ url: proxy.addressFor(url), prefix, timeoutMs: 300 });
    const { stop } = watch(store);
    await expect.poll(channels, PATIENT).toBe(1);
    const { connections } = proxy;
    proxy.traffic = "drop";
    await expect.poll(() => proxy.connections, PATIENT).toBeGreaterThan(connections);
    proxy.traffic = "pass";
    await expect.poll(channels, PATIENT).toBe(1);
    await stop();
    await store.close();
  });

  it("looks every second where no messages come", async () => {
    const deaf = new Redis(url);
    // Stands for a user who may not subscribe.
    deaf.duplicate = () =>
      Object.assign(new Redis(url, { lazyConnect: true }), {
        subscribe: () => Promise.reject(new Error("refused")),
      });
    const store = await openRedisStore({ client: deaf, prefix });
    const { wakes, stop } = watch(store);
    await expect.poll(() => wakes.length, PATIENT).toBeGreaterThanOrEqual(3);
    expect((wakes[2] ?? 0) - (wakes[1] ?? 0)).toBeGreaterThan(500);
    await stop();
    await store.close();
    deaf.disconnect();
  });
});
