// Run by the tests in processes of its own: node child.ts <command> <folder> [number]
import { writeSync } from "node:fs";
import process from "node:process";
import { openFileStore } from "turnkeep/stores/file";
import { headRecord } from "turnkeep/testing";
import { keyOf } from "./session-keys.ts";
import { addOne, numbered } from "./talk.ts";
import { watchedDisk } from "./watched-disk.ts";

const KEY = keyOf("shared");
const [, , command = "", folder = "", number = "0"] = process.argv;

const COMMANDS: Readonly<Record<string, () => Promise<void>>> = {
  open: async () => {
    const store = await openFileStore(folder);
    await store.close();
  },
  /** Adds to a counter by reading, adding and committing, so many times. */
  increment: async () => {
    const store = await openFileStore(folder);
    for (const name of numbered(Number(number), `${process.pid}-`)) await addOne(store, KEY, name);
    await store.close();
  },
  /** Commits so many times, and says so each time before it goes on. */
  acknowledge: async () => {
    const store = await openFileStore(folder);
    for (let rev = 0; rev < Number(number); rev += 1) {
      await store.commit(KEY, { expect: rev, record: headRecord({ rev: rev + 1 }) });
      writeSync(1, `acknowledged ${rev + 1}\n`);
    }
    await store.close();
  },
  /** Commits, and is killed between writing its file and giving it a name. */
  die: async () => {
    let isDoomed = false;
    const disk = watchedDisk((call) => {
      if (isDoomed && call === "link") process.kill(process.pid, "SIGKILL");
    });
    const store = await openFileStore(folder, { disk });
    await addOne(store, KEY, "first");
    isDoomed = true;
    await addOne(store, KEY, "never");
  },
  /** Writes one row after the other for ever, and tells of each when it is acknowledged, or refused: then it tries the same again. */
  write: async () => {
    const store = await openFileStore(folder);
    const { record } = await store.load(KEY);
    for (let rev = record?.rev ?? 0; ;) {
      const key = `snapshot/${String(rev).padStart(6, "0")}`;
      const put = [{ key, value: JSON.stringify("x".repeat(3000)) }];
      const next = headRecord({ rev: rev + 1 });
      const outcome = await store.commit(KEY, { expect: rev, record: next, put });
      if (outcome === "ok") rev += 1;
      process.stdout.write(outcome === "ok" ? `${rev}\n` : "refused\n");
    }
  },
};

await COMMANDS[command]?.();
