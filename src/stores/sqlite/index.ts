export { openSqliteStore } from "./open-sqlite-store.ts";
export type { SqliteDatabase, SqliteStatement, SqliteValue } from "./sqlite-database.ts";
export { SqliteStore, type SqliteStoreOptions } from "./sqlite-store.ts";
