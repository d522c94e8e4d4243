import { type StoreSchema, TurnkeepError } from "../../ledger/index.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";

// A table and not `user_version`, which belongs to the application when the file is its own.
const CREATE = "create table if not exists turnkeep_schema (version integer not null)";
const READ = "select coalesce(max(version), 0) as version from turnkeep_schema";
const WRITE = "insert into turnkeep_schema (version) values (?)";

/**
 * Brings the schema up to the last migration. One transaction under the write lock: of several processes one migrates while the others
 * wait, and one that is killed leaves nothing behind.
 *
 * @throws TurnkeepError FAILED_PRECONDITION when the file was written by a newer Turnkeep.
 */
export function migrate(database: SqliteDatabase, migrations: readonly string[]): StoreSchema {
  database.exec("begin immediate");
  try {
    database.exec(CREATE);
    const { version } = database.prepare(READ).get() as { version: number };
    if (version > migrations.length) throw tooNew(version, migrations.length);
    for (const [index, sql] of migrations.entries()) {
      if (index < version) continue;
      database.exec(sql);
      database.prepare(WRITE).run(index + 1);
    }
    database.exec("commit");
    return { found: version, version: migrations.length };
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

function tooNew(found: number, known: number): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `The database has schema version ${found}, but this version of Turnkeep knows only up to ${known}. Update Turnkeep.`,
    { reason: "SCHEMA_TOO_NEW", details: { found, known } },
  );
}
