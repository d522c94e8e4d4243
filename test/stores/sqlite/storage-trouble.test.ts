import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { activeTurn, headRecord } from "turnkeep/testing";
import { expect, it } from "vitest";
import { withSmallDisk } from "../../support/small-disk.ts";
import { DatabaseSync } from "./database-sync.ts";
import { childrenOf } from "../../support/run-child.ts";
import { keyOf } from "./session-keys.ts";

const { runChild } = childrenOf(new URL("child.ts", import.meta.url));

const KEY = keyOf("session");

it("says that the disk is full, loses nothing acknowledged, and goes on once there is space", async (context) => {
  await withSmallDisk(context, "8m", async (directory) => {
    const path = join(directory, "store.db");
    const ballast = join(directory, "ballast");
    writeFileSync(ballast, Buffer.alloc(4 * 1024 * 1024));
    const store = await openSqliteStore(path);
    const record = headRecord({ active: activeTurn() });
    expect(await store.commit(KEY, { expect: 0, record })).toBe("ok");
    const append = (index: number): Promise<unknown> => {
      const rows = [
        {
          key: `event/1/${String(index).padStart(6, "0")}`,
          value: JSON.stringify("x".repeat(5000)),
        },
      ];
      return store.append([{ key: KEY, fence: { snapshotId: "snapshot-1", epoch: 1 }, rows }]);
    };
    const acknowledged: number[] = [];
    let failure: unknown;
    for (let index = 0; failure === undefined && index < 5000; index += 1) {
      // Three at a time, so that the error also strikes writes that share a transaction.
      const outcomes = await Promise.allSettled(
        [0, 1, 2].map((offset) => append(index * 3 + offset)),
      );
      for (const [offset, outcome] of outcomes.entries()) {
        if (outcome.status === "fulfilled") acknowledged.push(index * 3 + offset);
        else failure = outcome.reason;
      }
    }
    expect(failure).toMatchObject({
      status: "UNAVAILABLE",
      reason: "STORAGE_FULL",
      retryable: true,
    });
    const read = async (): Promise<readonly number[]> => {
      const rows = await store.range(KEY, {
        range: ["event/1/", "event/1/~"],
        limit: 100_000,
        maxBytes: 1e9,
      });
      return rows.map((row) => Number(row.key.slice("event/1/".length)));
    };
    expect(acknowledged.length).toBeGreaterThan(50);
    expect(await read()).toEqual(acknowledged);
    rmSync(ballast);
    expect(await append(900_000)).toEqual(["ok"]);
    expect(await read()).toEqual([...acknowledged, 900_000]);
    await store.close();
    const database = new DatabaseSync(path);
    expect(database.prepare("pragma integrity_check").get()).toMatchObject({
      integrity_check: "ok",
    });
    database.close();
  });
});

it("says that a disk is read-only, and opens once it can be written", async (context) => {
  await withSmallDisk(context, "8m", async (directory) => {
    const path = join(directory, "store.db");
    // By another process: this one may hold the file open until its statements are collected.
    expect(await runChild("increment", path, "1")).toBe(0);
    execFileSync("mount", ["-o", "remount,ro", directory]);
    const readOnly = { status: "UNAVAILABLE", reason: "STORAGE_READ_ONLY", retryable: true };
    await expect(openSqliteStore(path)).rejects.toMatchObject(readOnly);
    await expect(openSqliteStore(join(directory, "new.db"))).rejects.toMatchObject(readOnly);
    execFileSync("mount", ["-o", "remount,rw", directory]);
    const second = await openSqliteStore(path);
    expect((await second.load(keyOf("shared"))).version).toBe(1);
    await second.close();
  });
});
