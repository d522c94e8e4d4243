import type { Processor, Queue, QueueBase, Worker } from "bullmq";
import { checkPostgres } from "./check-postgres.ts";
import { checkRedis } from "./check-redis.ts";
import { loadPackage } from "./load-package.ts";
import { queueError } from "./queue-error.ts";
import type { QueuePlace } from "./queue-place.ts";

const ANSWER_MS = 5000;
const LONGEST_PAUSE_MS = 2000;

// A turn is tried again by whoever finds it in the store, so a job that is over is of no use to anybody.
const FORGET = { count: 0 };

/** The side that announces work. Never waits long for a server that is away. */
export async function openQueue(
  place: QueuePlace,
  trouble: (error: unknown) => void,
): Promise<Queue> {
  await checkPlace(place);
  const bullmq = await loadPackage("bullmq");
  const queue =
    place.engine === "redis"
      ? new bullmq.Queue(place.name, {
          connection: {
            url: place.url,
            retryStrategy,
            enableOfflineQueue: false,
            commandTimeout: ANSWER_MS,
          },
        })
      : (new bullmq.Queue(
          place.name,
          { connection: postgresOf(place) },
          bullmq.createPostgresBackend,
        ) as unknown as Queue);
  return await whenReady(queue, place, trouble);
}

/** The side that works. It takes no job until it is told to `run`. */
export async function openWorker(
  place: QueuePlace,
  processor: Processor,
  {
    concurrency,
    trouble,
  }: { readonly concurrency: number; readonly trouble: (error: unknown) => void },
): Promise<Worker> {
  await checkPlace(place);
  const bullmq = await loadPackage("bullmq");
  const options = {
    concurrency,
    autorun: false,
    runRetryDelay: 1000,
    removeOnComplete: FORGET,
    removeOnFail: FORGET,
  };
  const worker =
    place.engine === "redis"
      ? new bullmq.Worker(place.name, processor, {
          ...options,
          connection: { url: place.url, retryStrategy, maxRetriesPerRequest: null },
        })
      : (new bullmq.Worker(
          place.name,
          processor,
          { ...options, connection: postgresOf(place) },
          bullmq.createPostgresBackend,
        ) as unknown as Worker);
  return await whenReady(worker, place, trouble);
}

// BullMQ's own would wait up to 20 s for a server that is back already.
function retryStrategy(times: number): number {
  return Math.min(100 * times, LONGEST_PAUSE_MS);
}

async function checkPlace(place: QueuePlace): Promise<void> {
  await (place.engine === "redis" ? checkRedis(place) : checkPostgres(place));
}

function postgresOf({ url }: QueuePlace): {
  readonly connectionString: string;
  readonly connectionTimeoutMillis: number;
} {
  return { connectionString: url, connectionTimeoutMillis: ANSWER_MS };
}

async function whenReady<Opened extends QueueBase>(
  opened: Opened,
  place: QueuePlace,
  trouble: (error: unknown) => void,
): Promise<Opened> {
  opened.on("error", (error: unknown) => trouble(queueError(place, error)));
  try {
    await opened.waitUntilReady();
    return opened;
  } catch (error) {
    await opened.close().catch(() => {});
    throw queueError(place, error);
  }
}
