import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import { Redis } from "ioredis";
import { openRedisStore, type RedisStore } from "turnkeep/stores/redis";
import { headRecord } from "turnkeep/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { redisUrl } from "../../support/redis-url.ts";
import type { Place } from "../../support/places/place.ts";
import { redisPlace } from "../../support/places/redis-place.ts";
import { FaultProxy } from "../../support/fault-proxy.ts";
import { withoutIntervals } from "../../support/without-intervals.ts";
import { PATIENT } from "./patience.ts";
import { keyOf } from "./session-keys.ts";

const url = redisUrl;
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

  /** Watches, and tells how often it was woken. */
  function watch(store: RedisStore): {
    readonly wakes: { readonly count: number };
    readonly stop: () => Promise<void>;
  } {
    const wakes = { count: 0 };
    const controller = new AbortController();
    const ended = (async () => {
      for await (const _ of store.watch(KEY, { signal: controller.signal })) {
        wakes.count += 1;
      }
    })();
    const stop = async (): Promise<void> => {
      controller.abort();
      await ended;
    };
    return { wakes, stop };
  }

  it("hears of a commit, and does not have to look", async () => {
    withoutIntervals();
    const [store, other] = await Promise.all([
      openRedisStore({ url, prefix }),
      openRedisStore({ url, prefix }),
    ]);
    const { wakes, stop } = watch(store);
    await expect.poll(channels, PATIENT).toBe(1);
    for (let version = 0; version < 20; version += 1) {
      const { count } = wakes;
      await other.commit(KEY, { expect: version, record: headRecord() });
      await expect.poll(() => wakes.count, PATIENT).toBeGreaterThan(count);
    }
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
    withoutIntervals();
    const store = await openRedisStore({ url: proxy.addressFor(url), prefix });
    const { wakes, stop } = watch(store);
    await expect.poll(channels, PATIENT).toBe(1);
    for (let cut = 0; cut < 6; cut += 1) {
      proxy.reset();
      await expect.poll(channels, PATIENT).toBe(0);
      const { count } = wakes;
      await expect.poll(channels, PATIENT).toBe(1);
      await expect.poll(() => wakes.count, PATIENT).toBeGreaterThan(count);
    }
    await stop();
    await store.close();
  });

  it("notices that its connection is dead although nobody said so", async () => {
    const store = await openRedisStore({ url: proxy.addressFor(url), prefix, timeoutMs: 1500 });
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
    const intervals = vi.spyOn(timers, "setInterval");
    syncBuiltinESMExports();
    const deaf = new Redis(url);
    // Stands for a user who may not subscribe.
    deaf.duplicate = () =>
      Object.assign(new Redis(url, { lazyConnect: true }), {
        subscribe: () => Promise.reject(new Error("refused")),
      });
    const store = await openRedisStore({ client: deaf, prefix });
    const { wakes, stop } = watch(store);
    await expect.poll(() => wakes.count, PATIENT).toBeGreaterThanOrEqual(3);
    expect(intervals.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([1000]);
    intervals.mockRestore();
    syncBuiltinESMExports();
    await stop();
    await store.close();
    deaf.disconnect();
  });
});
