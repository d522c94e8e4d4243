import { Redis } from "ioredis";
import { openRedisStore, type RedisStore } from "turnkeep/stores/redis";
import { activeTurn, headRecord } from "turnkeep/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisUrl } from "../../support/redis-url.ts";
import { createScope, createSessionKey } from "../../../src/ledger/index.ts";
import type { Place } from "../../support/places/place.ts";
import { redisPlace } from "../../support/places/redis-place.ts";
import { keyOf } from "./session-keys.ts";

const url = redisUrl;

describe.skipIf(url === "")("sizes", () => {
  let place: Place;
  let client: Redis;
  let store: RedisStore;

  beforeAll(async () => {
    place = await redisPlace(url);
    client = new Redis(url);
    const prefix = place.settings?.["prefix"] ?? "";
    store = await openRedisStore({ client, prefix, timeoutMs: 60_000 });
  });
  afterAll(async () => {
    await store.close();
    client.disconnect();
    await place.remove();
  });

  it("10,000 rows in one commit, one append and one load", async () => {
    const key = keyOf("many");
    const rows = (kind: string): { key: string; value: string }[] =>
      Array.from({ length: 10_000 }, (_, index) => ({
        key: `${kind}/${String(index).padStart(6, "0")}`,
        value: String(index),
      }));
    const record = headRecord({ active: activeTurn() });
    expect(await store.commit(key, { expect: 0, record, put: rows("snapshot") })).toBe("ok");
    const fence = { snapshotId: "snapshot-1", epoch: 1 };
    expect(await store.append([{ key, fence, rows: rows("event/1") }])).toEqual(["ok"]);
    const view = await store.load(key, { rows: rows("snapshot").map((row) => row.key) });
    expect(view.rows.size).toBe(10_000);
    const drop = rows("event/1").map((row) => [row.key, row.key] as const);
    expect(await store.commit(key, { expect: 1, record, drop })).toBe("ok");
    expect((await store.load(key, { ranges: [["!", "~"]] })).rows.size).toBe(10_000);
    expect(await store.commit(key, { expect: 2, record: null })).toBe("ok");
  });

  it("a row as large as the store claims", async () => {
    const { maxRowBytes } = store.capabilities;
    const key = keyOf("large");
    const value = JSON.stringify("x".repeat(maxRowBytes - 2));
    const put = [{ key: "snapshot/1", value }];
    expect(await store.commit(key, { expect: 0, record: headRecord(), put })).toBe("ok");
    const { rows } = await store.load(key, { rows: ["snapshot/1"] });
    expect(rows.get("snapshot/1") === value).toBe(true);
    expect(await store.commit(key, { expect: 1, record: null })).toBe("ok");
  });

  it("pages of a list go on right where one name is the beginning of another", async () => {
    const scope = createScope("names");
    const names = ["s", "s!", "s(", "s-", "s.", "s0", "s:", "sA", "s_", "s~", "s%", "sü", "s "];
    const keys = names.flatMap((name) =>
      ["a", "a!", "a~"].map((agent) => createSessionKey(scope, agent, name)),
    );
    await Promise.all(keys.map((key) => store.commit(key, { expect: 0, record: headRecord() })));
    const listed: string[] = [];
    let after: string | undefined;
    do {
      const page = await store.list(scope, { limit: 1, ...(after !== undefined && { after }) });
      listed.push(...page.sessions.map(({ key }) => `${key.agent} ${key.sessionId}`));
      after = page.next;
    } while (after !== undefined);
    expect(listed).toHaveLength(keys.length);
    expect(new Set(listed).size).toBe(keys.length);
  });

  it("what a session costs a list of another tenant: nothing", async () => {
    const own = createSessionKey(createScope("small"), "agent", "session");
    await store.commit(own, { expect: 0, record: headRecord() });
    const alone = await readsOf(() => store.list(own.scope, { limit: 10 }));
    const others = Array.from({ length: 500 }, (_, index) => keyOf(`s-${index}`, "large"));
    await Promise.all(others.map((key) => store.commit(key, { expect: 0, record: headRecord() })));
    expect(await readsOf(() => store.list(own.scope, { limit: 10 }))).toBe(alone);
    expect((await store.list(own.scope, { limit: 10 })).sessions).toHaveLength(1);
  });

  /** How many members of sorted sets are read: calls tell it, as each of them reads a hundred at most. */
  async function readsOf(work: () => Promise<unknown>): Promise<number> {
    const count = async (): Promise<number> => {
      const found = /cmdstat_zrange:calls=(\d+)/.exec(await client.info("commandstats"));
      return Number(found?.[1] ?? 0);
    };
    const before = await count();
    await work();
    return (await count()) - before;
  }
});
