import { randomUUID } from "node:crypto";
import { Cluster } from "ioredis";
import { openRedisStore, type RedisStore } from "turnkeep/stores/redis";
import { headRecord } from "turnkeep/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withoutIntervals } from "../../support/without-intervals.ts";
import { redisUrl } from "../../support/redis-url.ts";
import { UnknownOutcomeError } from "../../../src/ledger/index.ts";
import { testStore } from "../../support/test-store.ts";
import { FaultProxy } from "../../support/fault-proxy.ts";
import { type OwnCluster, startOwnCluster } from "./own-cluster.ts";
import { PATIENT } from "./patience.ts";
import { keyOf } from "./session-keys.ts";

// Whether there is a program to start was found out, and said loudly, before all tests.
describe.skipIf(redisUrl === "")("on a cluster of three", () => {
  let cluster: OwnCluster;
  let client: Cluster;
  const prefixes = new WeakMap<object, string>();

  beforeAll(async () => {
    cluster = await startOwnCluster();
    client = cluster.connect();
  });
  afterAll(async () => {
    client.disconnect();
    await cluster.stop();
  });

  async function openAt(prefix: string): Promise<RedisStore> {
    const store = await openRedisStore({ client, prefix });
    prefixes.set(store, prefix);
    return store;
  }

  testStore("redis on a cluster", {
    create: () => openAt(`test-${randomUUID()}`),
    reopen: (store) => openAt(prefixes.get(store) ?? ""),
  });

  it("spreads sessions over all servers, each with its indexes beside it", async () => {
    const store = await openAt("spread");
    const keys = Array.from({ length: 100 }, (_, index) => keyOf(`session-${index}`));
    const record = headRecord({ dueAt: 1 });
    await Promise.all(keys.map((key) => store.commit(key, { expect: 0, record })));
    const held = await Promise.all(
      client.nodes("master").map((node) => node.keys("{spread.*}:head:*")),
    );
    expect(held.flat()).toHaveLength(100);
    expect(Math.min(...held.map((names) => names.length))).toBeGreaterThan(10);
    expect(await store.due({ kind: "work", limit: 1000 })).toHaveLength(100);
    expect((await store.list(keyOf("any").scope, { limit: 1000 })).sessions).toHaveLength(100);
  });

  it("wakes a watcher for what another client commits, without waiting for the next look", async () => {
    withoutIntervals();
    const [store, otherClient] = [await openAt("watch"), cluster.connect()];
    const other = await openRedisStore({ client: otherClient, prefix: "watch" });
    const key = keyOf("watched");
    const controller = new AbortController();
    const changes = store.watch(key, { signal: controller.signal })[Symbol.asyncIterator]();
    await changes.next();
    for (let expect = 0; expect < 10; expect += 1) {
      await other.commit(key, { expect, record: headRecord({ rev: expect }) });
      await changes.next();
    }
    controller.abort();
    await Promise.all([store.close(), other.close()]);
    otherClient.disconnect();
  });

  it("does not take its own commit, sent again after a loss, for a conflict", async () => {
    const ports = cluster.servers.map((server) => server.port);
    const proxies = await Promise.all(ports.map((port) => FaultProxy.start(port)));
    const ways = proxies.map(
      (proxy, index) =>
        [`127.0.0.1:${ports[index]}`, { host: "127.0.0.1", port: proxy.port }] as const,
    );
    const own = new Cluster([...new Map(ways).values()], { natMap: Object.fromEntries(ways) });
    const store = await openRedisStore({ client: own, prefix: "resend" });
    const key = keyOf("session");
    await store.commit(key, { expect: 0, record: headRecord() });
    for (const proxy of proxies) proxy.cutAfter("canary");
    const record = headRecord({ head: "canary" });
    const commit = store.commit(key, { expect: 1, record }).catch((error: unknown) => error);
    expect(UnknownOutcomeError.is(await commit)).toBe(true);
    expect((await store.load(key)).version).toBe(2);
    await store.close();
    own.disconnect();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  });

  it("is refused to a plain client, which would see a third of it", async () => {
    const url = cluster.servers[0]?.url ?? "";
    await expect(openRedisStore({ url, prefix: "plain" })).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
      reason: "STORE_UNSUITABLE",
      message: expect.stringContaining("new Cluster") as string,
    });
  });

  it("says that it is away while a server is, and comes back with everything", async () => {
    const own = cluster.connect();
    const store = await openRedisStore({ client: own, prefix: "loss", timeoutMs: 3000 });
    const keys = Array.from({ length: 30 }, (_, index) => keyOf(`session-${index}`));
    const commitAll = (expect: number): Promise<PromiseSettledResult<string>[]> =>
      Promise.allSettled(
        keys.map((key) => store.commit(key, { expect, record: headRecord({ rev: expect }) })),
      );
    await commitAll(0);
    await cluster.servers[1]?.kill();
    const outcomes = await commitAll(1);
    const failed = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(failed.length).toBeGreaterThan(0);
    for (const { reason } of failed) {
      expect(reason).toMatchObject({ status: "UNAVAILABLE", retryable: true });
    }
    await cluster.servers[1]?.restart();
    await expect
      .poll(
        async () =>
          (await Promise.allSettled(keys.map((key) => store.load(key)))).filter(
            (view) => view.status === "rejected",
          ),
        PATIENT,
      )
      .toEqual([]);
    for (const [index, key] of keys.entries()) {
      const { version } = await store.load(key);
      if (outcomes[index]?.status === "fulfilled") expect(version).toBe(2);
      else expect([1, 2]).toContain(version);
    }
    await store.close();
    own.disconnect();
  });
});
