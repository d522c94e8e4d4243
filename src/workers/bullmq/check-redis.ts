import { TurnkeepError } from "../../protocol/index.ts";
import { loadPackage } from "./load-package.ts";
import { queueError } from "./queue-error.ts";
import type { QueuePlace } from "./queue-place.ts";

const CONNECT_MS = 5000;

/**
 * Finds out whether a queue can live on this server before BullMQ is let loose on it: when something is amiss it tries again without end.
 *
 * @throws TurnkeepError UNAVAILABLE when the server does not answer, FAILED_PRECONDITION when it is not fit for a queue.
 */
export async function checkRedis(place: QueuePlace): Promise<void> {
  const { Redis } = await loadPackage("ioredis");
  const client = new Redis(place.url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let lastError: unknown;
  client.on("error", (error: unknown) => (lastError = error));
  try {
    await client.connect();
    checkEviction(place, await client.info("memory"));
    // BullMQ's commands are scripts, which not every user may run.
    await client.eval("return 1", 0);
  } catch (error) {
    // The event says why; the rejection only that the connection is closed.
    throw queueError(place, TurnkeepError.is(error) ? error : (lastError ?? error));
  } finally {
    client.disconnect();
  }
}

function checkEviction({ server }: QueuePlace, memory: string): void {
  const policy = /^maxmemory_policy:(.+?)\r?$/m.exec(memory)?.[1] ?? "noeviction";
  if (policy === "noeviction") return;
  throw new TurnkeepError(
    "FAILED_PRECONDITION",
    `Redis at ${server} throws keys away when memory is short (maxmemory-policy ${policy}), and with them a queue's. Set maxmemory-policy to noeviction.`,
    { details: { policy } },
  );
}
