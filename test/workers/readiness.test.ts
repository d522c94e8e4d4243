import { Redis } from "ioredis";
import { MemoryStore } from "turnkeep/stores/memory";
import { bullmqDispatcher, startWorker, type WorkerTrouble } from "turnkeep/workers/bullmq";
import { describe, expect, test } from "vitest";
import { user } from "../agent/agents.ts";
import { whenOver } from "../agent/life/leftovers.ts";
import { slowAgent } from "../agent/life/slow-agent.ts";
import { sleep, until } from "../agent/life/waiting.ts";
import { findFreePort } from "../support/services-server.ts";
import { POSTGRES, REDIS } from "./engines.ts";
import { freshDatabase } from "./fresh-database.ts";
import { startRedis } from "../support/services-redis.ts";

const store = new MemoryStore();
const agents = [slowAgent({ store })];

describe("a worker does not start", () => {
  test.each(["redis", "postgres"])(
    "when no server is there (%s), and raises no storm",
    async (scheme) => {
      const troubles: WorkerTrouble[] = [];
      const connection = `${scheme}://user:hush@127.0.0.1:${await findFreePort()}/0`;
      const starting = startWorker({ agents, connection, onError: (one) => troubles.push(one) });
      const error = await starting.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ status: "UNAVAILABLE", retryable: true });
      expect(String(error)).toMatch(/does not answer/);
      expect(String(error)).not.toContain("hush");
      await sleep(300);
      expect(troubles).toEqual([]);
    },
  );

  test.skipIf(REDIS.url === "")("on a Redis that throws keys away", async () => {
    const server = await startRedis({});
    whenOver(server.stop);
    const client = new Redis(server.url);
    await client.config("SET", "maxmemory-policy", "allkeys-lru");
    await expect(startWorker({ agents, connection: server.url })).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
      message: expect.stringMatching(/maxmemory-policy to noeviction/),
    });
    await client.config("SET", "maxmemory-policy", "noeviction");
    await (await startWorker({ agents, connection: server.url })).stop();
    client.disconnect();
  });

  test.skipIf(REDIS.url === "")("on a Redis that wants a password, until it is given", async () => {
    const server = await startRedis({});
    whenOver(server.stop);
    const client = new Redis(server.url);
    await client.config("SET", "requirepass", "hush");
    await expect(startWorker({ agents, connection: server.url })).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
    });
    const connection = server.url.replace("redis://", "redis://:hush@");
    await (await startWorker({ agents, connection })).stop();
    client.disconnect();
  });

  test.skipIf(REDIS.url === "")("on a Redis whose user may not run scripts", async () => {
    const server = await startRedis({});
    whenOver(server.stop);
    const client = new Redis(server.url);
    await client.acl("SETUSER", "default", "-eval");
    await expect(startWorker({ agents, connection: server.url })).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
      message: expect.stringMatching(/refuses: NOPERM/),
    });
    client.disconnect();
  });

  test.skipIf(POSTGRES.url === "")(
    "in a database without its tables, unless it may make them",
    async () => {
      const connection = await freshDatabase();
      await expect(startWorker({ agents, connection, migrate: false })).rejects.toMatchObject({
        status: "FAILED_PRECONDITION",
        message: expect.stringMatching(/no tables for BullMQ/),
      });
      await (await startWorker({ agents, connection })).stop();
      await (await startWorker({ agents, connection, migrate: false })).stop();
    },
  );

  test.skipIf(POSTGRES.url === "")("in a database that is not there", async () => {
    const connection = POSTGRES.url.replace(/[^/]*$/, "nowhere");
    await expect(startWorker({ agents, connection })).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
      message: expect.stringMatching(/"nowhere" does not exist/),
    });
  });

  test.skipIf(REDIS.url === "")(
    "for agents without a store, for none, and without a queue",
    async () => {
      const connection = REDIS.url;
      await expect(startWorker({ agents: [slowAgent({})], connection })).rejects.toMatchObject({
        status: "FAILED_PRECONDITION",
        message: expect.stringMatching(/Provide a 'store'/),
      });
      const refused = { status: "INVALID_ARGUMENT" };
      await expect(startWorker({ agents: [], connection })).rejects.toMatchObject(refused);
      await expect(startWorker({ agents })).rejects.toMatchObject(refused);
    },
  );

  test.skipIf(REDIS.url === "")(
    "when its agents announce their work in different queues",
    async () => {
      const connection = REDIS.url;
      const [one, two] = ["one", "two"].map((queue) =>
        slowAgent({ name: queue, store, dispatcher: bullmqDispatcher({ connection, queue }) }),
      );
      await expect(startWorker({ agents: [one!, two!] })).rejects.toMatchObject({
        message: expect.stringMatching(/different queues/),
      });
    },
  );
});

test.each(["", "nonsense", "mysql://user:hush@host/0", "http://host"])(
  "%j is no connection, and is not repeated",
  (connection) => {
    expect(() => bullmqDispatcher({ connection })).toThrow(/must be a URL that begins with redis:/);
    expect(() => bullmqDispatcher({ connection })).not.toThrow(/hush/);
  },
);

test.each(["", " ", "a:b"])("%j is no name of a queue", (queue) => {
  const connection = "redis://127.0.0.1";
  expect(() => bullmqDispatcher({ connection, queue })).toThrow(/queue must be text/);
});

test("a queue that is away holds no caller up, and is reported once a second", async () => {
  const troubles: WorkerTrouble[] = [];
  const dispatcher = bullmqDispatcher({
    connection: `redis://127.0.0.1:${await findFreePort()}`,
    onError: (one) => troubles.push(one),
  });
  const agent = slowAgent({ store: new MemoryStore(), dispatcher });
  const before = performance.now();
  for (let index = 0; index < 50; index += 1) {
    await agent.detach(user("a"), { sessionId: `s-${index}` });
  }
  await until(() => troubles.length > 0);
  await dispatcher.close();
  const seconds = (performance.now() - before) / 1000;
  expect(troubles.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  expect(troubles[0]?.error).toMatchObject({ status: "UNAVAILABLE" });
});
