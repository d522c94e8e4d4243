import process from "node:process";
import { TurnkeepError } from "../../ledger/index.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { isAtLeast, OLDEST_SQLITE } from "./sqlite-settings.ts";

/** Both clients have this class. */
interface SqliteClient {
  readonly DatabaseSync: new (path: string) => ClosableDatabase;
}

export interface ClosableDatabase extends SqliteDatabase {
  close(): void;
}

/**
 * The SQLite inside Node where it is new enough, and else the package that brings its own.
 *
 * @throws TurnkeepError FAILED_PRECONDITION when there is neither.
 */
export async function findSqliteClient(
  builtIn: string | undefined = process.versions["sqlite"],
): Promise<SqliteClient> {
  // Names in variables, because neither module has to be there.
  const name: string =
    builtIn !== undefined && isAtLeast(builtIn, OLDEST_SQLITE)
      ? "node:sqlite"
      : "@photostructure/sqlite";
  try {
    return (await import(name)) as SqliteClient;
  } catch (cause) {
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      `No SQLite of version ${OLDEST_SQLITE} or newer: run "npm install @photostructure/sqlite@1.2.1", use a newer Node, or hand a client to SqliteStore.`,
      { cause, reason: "STORE_UNSUITABLE" },
    );
  }
}
