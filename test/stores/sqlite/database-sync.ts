import {
  type ClosableDatabase,
  findSqliteClient,
} from "../../../src/stores/sqlite/find-sqlite-client.ts";

const client = await findSqliteClient();

/**
 * The client that the store under test uses. Another one in the same process would take away the locks of the first on files that
 * both have open.
 */
export const DatabaseSync: new (path: string) => ClosableDatabase = client.DatabaseSync;
