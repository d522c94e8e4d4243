import { TurnkeepError } from "../../protocol/index.ts";
import { loadPackage } from "./load-package.ts";
import { queueError } from "./queue-error.ts";
import type { QueuePlace } from "./queue-place.ts";

const CONNECT_MS = 5000;

/**
 * Finds out whether a queue can live in this database, and makes its tables if it may, before BullMQ is let loose on it.
 *
 * @throws TurnkeepError UNAVAILABLE when the server does not answer, FAILED_PRECONDITION when the database is not fit for a queue.
 */
export async function checkPostgres(place: QueuePlace): Promise<void> {
  const { Client } = (await loadPackage("pg")).default;
  const { assertSchemaCompatibility, runMigrations, SchemaMigrationRequiredError } =
    await loadPackage("bullmq");
  const client = new Client({
    connectionString: place.url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: 6 * CONNECT_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await (place.migrate ? runMigrations(client) : assertSchemaCompatibility(client));
  } catch (error) {
    throw error instanceof SchemaMigrationRequiredError
      ? tablesMissing(place, error)
      : queueError(place, error);
  } finally {
    await client.end().catch(() => {});
  }
}

function tablesMissing({ server }: QueuePlace, cause: unknown): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `The database at ${server} has no tables for BullMQ. Leave out "migrate: false" once, or run BullMQ's migrations.`,
    { cause },
  );
}
