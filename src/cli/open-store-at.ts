import { existsSync, statSync } from "node:fs";
import type { SessionStore } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { openFileStore } from "../stores/file/index.ts";
import { openPostgresStore } from "../stores/postgres/index.ts";
import { openRedisStore } from "../stores/redis/index.ts";
import { openSqliteStore } from "../stores/sqlite/index.ts";

/** How a store on a server is told from others there. */
export interface StorePlace {
  /** The schema of Postgres. */
  readonly schema?: string | undefined;
  /** What the keys of Redis begin with. */
  readonly prefix?: string | undefined;
}

/**
 * Opens the store at a URL of Postgres or Redis, in a SQLite file, or in a folder. Makes none.
 *
 * @throws TurnkeepError NOT_FOUND when there is no such file, INVALID_ARGUMENT when something else is missing, and whatever keeps the store from being opened.
 */
export async function openStoreAt(
  place: string,
  { schema, prefix }: StorePlace,
): Promise<SessionStore> {
  if (/^postgres(ql)?:\/\//.test(place)) {
    return await openPostgresStore({ connectionString: place, ...(schema && { schema }) });
  }
  if (/^rediss?:\/\//.test(place)) {
    if (prefix === undefined)
      throw new TurnkeepError("INVALID_ARGUMENT", "Name the store's --prefix on Redis.");
    return await openRedisStore({ url: place, prefix });
  }
  if (!existsSync(place))
    throw new TurnkeepError("NOT_FOUND", `There is no file or folder ${place}.`);
  return statSync(place).isDirectory() ? await openFileStore(place) : await openSqliteStore(place);
}

/** The place without what is secret in it. */
export function nameOfPlace(place: string): string {
  if (!URL.canParse(place)) return place;
  const { protocol, host, pathname } = new URL(place);
  return host === "" ? place : `${protocol}//${host}${pathname}`;
}
