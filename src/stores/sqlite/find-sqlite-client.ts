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
  const isNewEnough = builtIn !== undefined && isAtLeast(builtIn, OLDEST_SQLITE);
  try {
    const client = isNewEnough ? loadBuiltIn() : undefined;
    // Names in variables, because neither module has to be there.
    const name: string = isNewEnough ? "node:sqlite" : "@photostructure/sqlite";
    return client ?? ((await import(name)) as SqliteClient);
  } catch (cause) {
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      `No SQLite of version ${OLDEST_SQLITE} or newer: run "npm install @photostructure/sqlite@1.2.1", use a newer Node, or hand a client to SqliteStore.`,
      { cause, reason: "STORE_UNSUITABLE" },
    );
  }
}

/** Loads Node's own SQLite without its warning that it is experimental: which version is used is decided here. */
function loadBuiltIn(): SqliteClient | undefined {
  // Called on `process` below.
  // oxlint-disable-next-line typescript/unbound-method
  const { emitWarning } = process;
  process.emitWarning = (...args: readonly unknown[]): void => {
    const [warning, type] = args;
    const isExpected = type === "ExperimentalWarning" && String(warning).startsWith("SQLite ");
    if (!isExpected) Reflect.apply(emitWarning, process, args);
  };
  try {
    // Without `await`, so that nobody else can warn meanwhile.
    return process.getBuiltinModule("node:sqlite") as SqliteClient | undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
