// Run by the tests in processes of its own: node child.ts <command> <path> [number]
import { writeSync } from "node:fs";
import process from "node:process";
import { openSqliteStore, type SqliteDatabase, SqliteStore } from "turnkeep/stores/sqlite";
import { headRecord } from "turnkeep/testing";
import { DatabaseSync } from "./database-sync.ts";
import { keyOf } from "./session-keys.ts";

const KEY = keyOf("shared");
const [, , command = "", path = "", number = "0"] = process.argv;

const COMMANDS: Readonly<Record<string, () => Promise<void>>> = {
  open: async () => {
    const store = await openSqliteStore(path);
    await store.close();
  },
  /** Adds to a counter by reading, adding and committing, so many times. */
  increment: async () => {
    const store = await openSqliteStore(path);
    for (let done = 0; done < Number(number);) {
      const { version, record } = await store.load(KEY);
      const next = headRecord({ rev: (record?.rev ?? 0) + 1 });
      if ((await store.commit(KEY, { expect: version, record: next })) === "ok") done += 1;
    }
    await store.close();
  },
  /** Commits so many times, and says so each time before it goes on. */
  acknowledge: async () => {
    const store = await openSqliteStore(path);
    for (let rev = 0; rev < Number(number); rev += 1) {
      await store.commit(KEY, { expect: rev, record: headRecord({ rev: rev + 1 }) });
      writeSync(1, `acknowledged ${rev + 1}\n`);
    }
    await store.close();
  },
  /** Writes one row after the other for ever, and tells of each when it is acknowledged. */
  write: async () => {
    const store = await openSqliteStore(path);
    for (let rev = 0; ; rev += 1) {
      const put = [
        {
          key: `snapshot/${String(rev).padStart(6, "0")}`,
          value: JSON.stringify("x".repeat(3000)),
        },
      ];
      await store.commit(KEY, { expect: rev, record: headRecord({ rev: rev + 1 }), put });
      process.stdout.write(`${rev + 1}\n`);
    }
  },
  /** Opens the store, but is killed before the statement of that number. */
  "die-opening": async () => {
    const database = new DatabaseSync(path);
    let count = 0;
    const mortal: SqliteDatabase = {
      prepare: (sql) => database.prepare(sql),
      exec: (sql) => {
        for (const statement of sql.split(";").filter((text) => text.trim() !== "")) {
          count += 1;
          if (count === Number(number)) process.kill(process.pid, "SIGKILL");
          database.exec(statement);
        }
      },
    };
    await new SqliteStore({ database: mortal }).open();
  },
};

await COMMANDS[command]?.();
