import { accessSync, closeSync, constants, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Clock, TurnkeepError } from "../../ledger/index.ts";
import { type ClosableDatabase, findSqliteClient } from "./find-sqlite-client.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { toStoreError } from "./to-store-error.ts";

/**
 * Opens the file at `path`, which is made if it is not there, and brings its schema up to date.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for what is no path: nothing is made then; others when the file cannot be opened or written, is no database, or was written by a newer Turnkeep.
 */
export async function openSqliteStore(
  path: string,
  options: { readonly clock?: Clock } = {},
): Promise<SqliteStore> {
  checkPath(path);
  const { DatabaseSync } = await findSqliteClient();
  // An absolute path is never taken for a URI or for a database in memory.
  const file = resolve(path);
  try {
    createPrivately(file);
    // SQLite itself would only say that it cannot open the file, or read it and fail at the first write.
    for (const place of [file, dirname(file)]) accessSync(place, constants.W_OK);
    const database = new DatabaseSync(file);
    const store = new SqliteStore({
      ...options,
      database,
      closeDatabase: () => closeFile(database),
    });
    await store.open().catch((error: unknown) => {
      database.close();
      throw error;
    });
    return store;
  } catch (error) {
    throw toStoreError(error);
  }
}

// Each of these would name a file that nobody meant.
function checkPath(path: string): void {
  if (typeof path !== "string" || path.trim() === "") throw refusal("must be the path of a file");
  if (path.trim() === ":memory:") {
    throw refusal(
      "must be the path of a file; for sessions in memory there is `MemoryStore` of turnkeep/stores/memory",
    );
  }
  if (path.startsWith("file:")) throw refusal("must be a path; `fileURLToPath` makes one of a URL");
}

function refusal(rule: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `path: ${rule}.`, { details: { field: "path" } });
}

// The package for older Nodes lets go of a file only when its statements are collected, so the log is folded back first.
function closeFile(database: ClosableDatabase): void {
  try {
    database.prepare("pragma wal_checkpoint(truncate)").get();
  } catch {
    // Whoever opens the file next does it.
  }
  database.close();
}

/**
 * Conversations are private; SQLite gives its log the rights of the file. A file that is there must not even be opened:
 * closing it would take away the locks that another store of this process holds on it.
 */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
