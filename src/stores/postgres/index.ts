export { openPostgresStore, type OpenPostgresStoreOptions } from "./open-postgres-store.ts";
export type { PostgresStoreOptions, PostgresStoreSettings } from "./postgres-options.ts";
export type {
  PostgresClient,
  PostgresNotification,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
  PostgresValue,
} from "./postgres-pool.ts";
export { PostgresStore } from "./postgres-store.ts";
