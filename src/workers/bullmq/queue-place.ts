import { TurnkeepError } from "../../protocol/index.ts";

/** Where a queue is. */
export interface QueueOptions {
  /** `redis://…` or `rediss://…` for Redis and Valkey, `postgres://…` for Postgres. */
  readonly connection: string;
  /** The queue's name; `turnkeep` unless told. */
  readonly queue?: string;
  /** Makes BullMQ's tables in Postgres, in a schema of their own named `bullmq`, when they are not there. It does unless told. */
  readonly migrate?: boolean;
}

/** Where a queue is, once that was found to make sense. */
export interface QueuePlace {
  readonly engine: "redis" | "postgres";
  readonly url: string;
  /** The server without user or password, for messages. */
  readonly server: string;
  readonly name: string;
  readonly migrate: boolean;
}

const ENGINES: ReadonlyMap<string, QueuePlace["engine"]> = new Map([
  ["redis:", "redis"],
  ["rediss:", "redis"],
  ["postgres:", "postgres"],
  ["postgresql:", "postgres"],
]);

/** @throws TurnkeepError INVALID_ARGUMENT for a connection that is no such URL, and for a name that BullMQ does not take. */
export function placeOf({
  connection,
  queue = "turnkeep",
  migrate = true,
}: QueueOptions): QueuePlace {
  const { protocol, host } = parseUrl(connection);
  const engine = ENGINES.get(protocol);
  if (engine === undefined) throw refusedConnection();
  if (typeof queue !== "string" || queue.trim() === "" || queue.includes(":")) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      "queue must be text that is not blank and has no colon in it.",
      { details: { field: "queue" } },
    );
  }
  return { engine, url: connection, server: host, name: queue, migrate };
}

function parseUrl(text: unknown): URL {
  try {
    return new URL(text as string);
  } catch {
    throw refusedConnection();
  }
}

// Without the text itself, since it may hold a password.
function refusedConnection(): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    "connection must be a URL that begins with redis://, rediss:// or postgres://.",
    { details: { field: "connection" } },
  );
}
