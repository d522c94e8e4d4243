import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type FileStore, openFileStore } from "turnkeep/stores/file";
import { headRecord } from "turnkeep/testing";
import { expect, it } from "vitest";
import { keyOf } from "./session-keys.ts";
import { addOne, namesAdded, numbered } from "./talk.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { watchedDisk } from "./watched-disk.ts";

const KEY = keyOf("shared");
const SHORT_LIVED = keyOf("short-lived");

async function openThree(): Promise<readonly FileStore[]> {
  const folder = temporaryFolder();
  return Promise.all(Array.from({ length: 3 }, () => openFileStore(folder)));
}

it("stores that write, fold and sweep at once lose nothing and hinder nobody", async () => {
  const stores = await openThree();
  await Promise.all(
    stores.map(async (store, index) => {
      for (const [count, name] of numbered(120, `${index}-`).entries()) {
        await addOne(store, KEY, name);
        if (count % 7 === index) await store.sweep();
      }
    }),
  );
  const expected = stores.flatMap((_, index) => numbered(120, `${index}-`));
  for (const store of stores) {
    expect(await namesAdded(store, KEY)).toEqual({ rev: expected.length, names: expected });
    await store.close();
  }
});

it("sessions that are made and forgotten again and again by all are whole or not there", async () => {
  const stores = await openThree();
  const lives = await Promise.all(
    stores.map(async (store) => {
      let forgotten = 0;
      for (let round = 0; round < 80; round += 1) {
        await addOne(store, SHORT_LIVED, `${round}-${Math.random()}`);
        const { rev, names } = await namesAdded(store, SHORT_LIVED);
        expect(names.length).toBe(rev);
        const { version } = await store.load(SHORT_LIVED);
        const outcome = await store.commit(SHORT_LIVED, { expect: version, record: null });
        if (outcome === "ok" && version > 0) forgotten += 1;
        if (round % 10 === 0) await store.sweep();
      }
      return forgotten;
    }),
  );
  expect(lives.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0);
  for (const store of stores) await store.close();
});

it("makes the first session of a tenant although another process sweeps before every call", async () => {
  const folder = temporaryFolder();
  const other = await openFileStore(folder);
  const disk = watchedDisk((call) => (call === "read" ? undefined : other.sweep()));
  const one = await openFileStore(folder, { disk });
  expect(await one.commit(KEY, { expect: 0, record: headRecord({ dueAt: 60_000 }) })).toBe("ok");
  expect(await other.due({ kind: "work", limit: 1 })).toEqual([KEY]);
  await one.close();
  await other.close();
});

it("finds what is due although others sweep the empty minutes away", async () => {
  const folder = temporaryFolder();
  const [one, other] = [await openFileStore(folder), await openFileStore(folder)];
  await other.due({ kind: "work", limit: 1 });
  const sweeping = new AbortController();
  const swept = (async () => {
    while (!sweeping.signal.aborted) {
      await other.sweep();
      await setImmediate();
    }
  })();
  try {
    for (let index = 0; index < 100; index += 1) {
      const key = keyOf(`session-${index}`);
      const dueAt = 60_000 * (index + 1);
      await one.commit(key, { expect: 0, record: headRecord({ dueAt }) });
      expect(await other.due({ kind: "work", limit: 1000 })).toHaveLength(index + 1);
    }
  } finally {
    sweeping.abort();
    await swept;
  }
  await one.close();
  await other.close();
  expect(readdirSync(join(folder, "temporary"))).toEqual([]);
});
