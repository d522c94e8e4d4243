import { type StoreSchema, TurnkeepError } from "../../ledger/index.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { layoutKey } from "./redis-keys.ts";

/** How the data of a store is laid out: what it must not be opened otherwise with. */
interface StoreLayout {
  readonly schema: number;
  readonly buckets: number;
}

const SCHEMA = 1;
const USUAL_BUCKETS = 16;

/**
 * How many buckets the store has, as many as whoever opened it first wanted, and whose schema its data follows.
 *
 * @throws TurnkeepError FAILED_PRECONDITION when another number is wanted now, or the data was written by a newer Turnkeep.
 */
export async function settleBuckets(
  connection: RedisConnection,
  prefix: string,
  wanted: number | undefined,
): Promise<{ readonly buckets: number; readonly schema: StoreSchema }> {
  const key = layoutKey(prefix);
  const own: StoreLayout = { schema: SCHEMA, buckets: wanted ?? USUAL_BUCKETS };
  const made = await connection.call("set", [key, JSON.stringify(own), "NX"]);
  const found = parseLayout(await connection.call("get", [key]));
  if (found.schema > SCHEMA) {
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      `The store has schema version ${found.schema}, but this version of Turnkeep knows only up to ${SCHEMA}. Update Turnkeep.`,
      { reason: "SCHEMA_TOO_NEW", details: { found: found.schema, known: SCHEMA } },
    );
  }
  if (wanted !== undefined && wanted !== found.buckets) {
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      `buckets: the store was made with ${found.buckets} and keeps them; leave it out, or choose another prefix.`,
      { reason: "STORE_UNSUITABLE", details: { found: found.buckets, wanted } },
    );
  }
  const { schema: version, buckets } = found;
  return { buckets, schema: { found: made === null ? version : 0, version } };
}

function parseLayout(text: unknown): StoreLayout {
  try {
    const { schema, buckets } = JSON.parse(String(text)) as Partial<StoreLayout>;
    if (Number.isSafeInteger(schema) && Number.isSafeInteger(buckets)) {
      return { schema: schema as number, buckets: buckets as number };
    }
  } catch {
    // Said below.
  }
  throw new TurnkeepError(
    "FAILED_PRECONDITION",
    "prefix: something else has written under it; choose another one.",
    { reason: "STORE_UNSUITABLE", details: { field: "prefix" } },
  );
}
