/** The part of a SQLite client the store uses. `DatabaseSync` of `node:sqlite` and `better-sqlite3` fit it as they are. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/** The part of a prepared statement the store uses. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint };
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
  iterate(...values: SqliteValue[]): Iterable<unknown>;
}

/** What the store keeps in a column. */
export type SqliteValue = string | number | null;
