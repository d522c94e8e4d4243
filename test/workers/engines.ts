import { randomUUID } from "node:crypto";
import { createPostgresBackend, Queue } from "bullmq";
import { describe } from "vitest";
import { whenOver } from "../agent/life/leftovers.ts";
import { postgresUrl } from "../support/postgres-url.ts";
import { redisUrl } from "../support/redis-url.ts";

export interface Engine {
  readonly name: "redis" | "postgres";
  /** Empty when the run goes on without this server. */
  readonly url: string;
}

export const REDIS: Engine = { name: "redis", url: redisUrl };
export const POSTGRES: Engine = { name: "postgres", url: postgresUrl };

/** Describes what holds whatever server the queue is on; skipped where that is missing. */
export function describeOnEach(what: string, tests: (engine: Engine) => void): void {
  for (const engine of [REDIS, POSTGRES]) {
    describe.skipIf(engine.url === "")(`on ${engine.name}, ${what}`, () => {
      tests(engine);
    });
  }
}

/** The name of a queue that nobody else has, and that is gone when the tests are over. */
export function freshQueue(engine: Engine): string {
  const name = `test-${randomUUID()}`;
  whenOver(async () => {
    const queue = lookInto(engine, name);
    await queue.obliterate({ force: true });
    await queue.close();
  });
  return name;
}

/** The queue as BullMQ itself sees it. */
export function lookInto({ name, url }: Engine, queue: string): Queue {
  return name === "redis"
    ? new Queue(queue, { connection: { url } })
    : (new Queue(
        queue,
        { connection: { connectionString: url, migrate: true } },
        createPostgresBackend,
      ) as unknown as Queue);
}
