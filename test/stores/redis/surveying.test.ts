import { expect, test } from "vitest";
import { redisUrl } from "../../support/redis-url.ts";
import { openRedisStore } from "turnkeep/stores/redis";
import { headRecord } from "turnkeep/testing";
import { keyOf } from "./session-keys.ts";

test.skipIf(redisUrl === "")("a list that is longer than a page is surveyed whole", async () => {
  const prefix = `test-survey-${process.pid}`;
  const store = await openRedisStore({ url: redisUrl, prefix, buckets: 1 });
  const names = Array.from({ length: 230 }, (_, number) => `session-${number}`);
  const record = headRecord();
  await Promise.all(names.map((name) => store.commit(keyOf(name), { expect: 0, record })));
  const found: string[] = [];
  for await (const { key } of store.survey()) found.push(key?.sessionId ?? "");
  expect(found.toSorted()).toEqual(names.toSorted());
  await store.close();
});

test.skipIf(redisUrl === "")(
  "a survey lists nothing of a store whose prefix begins with this store's prefix",
  async () => {
    const prefix = `test-prefix-${process.pid}`;
    const prefixes = [prefix, `${prefix}.eu`, `${prefix}.0`, `${prefix}.eu:list:x`];
    const stores = await Promise.all(
      prefixes.map((one) => openRedisStore({ url: redisUrl, prefix: one })),
    );
    for (const [number, store] of stores.entries()) {
      await store.commit(keyOf(`session-${number}`), { expect: 0, record: headRecord() });
    }
    for (const [number, store] of stores.entries()) {
      const found: string[] = [];
      for await (const { key } of store.survey()) found.push(key?.sessionId ?? "");
      expect(found, prefixes[number]).toEqual([`session-${number}`]);
      await store.close();
    }
  },
);
