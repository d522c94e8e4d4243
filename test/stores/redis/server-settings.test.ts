import { networkInterfaces } from "node:os";
import { Redis } from "ioredis";
import { openRedisStore } from "turnkeep/stores/redis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { redisUrl } from "../../support/redis-url.ts";
import { checkServer } from "../../../src/stores/redis/check-server.ts";
import { type OwnServer, startOwnServer } from "./own-server.ts";

const GOOD = {
  appendonly: "yes",
  appendfsync: "everysec",
  "maxmemory-policy": "noeviction",
  "no-appendfsync-on-rewrite": "no",
};

describe.skipIf(redisUrl === "")("a server's settings", () => {
  let server: OwnServer;
  let admin: Redis;

  beforeAll(async () => {
    server = await startOwnServer(["--bind", "0.0.0.0", "--protected-mode", "no"]);
    admin = new Redis(server.url);
    await set(GOOD);
  });
  afterEach(async () => {
    await admin.call("replicaof", "no", "one");
    await set(GOOD);
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  async function set(settings: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(settings)) await admin.config("SET", name, value);
  }

  async function durabilityOf(options: object = {}): Promise<string> {
    const all = { url: server.url, prefix: "settings", ...options };
    const store = await openRedisStore(all);
    const { durability } = store.capabilities;
    await store.close();
    return durability;
  }

  /** Asserts that the store is refused, with a message that names what to do. */
  async function expectRefusal(remedy: string, options: object = {}): Promise<void> {
    await expect(durabilityOf(options)).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
      reason: "STORE_UNSUITABLE",
      retryable: false,
      message: expect.stringContaining(remedy) as string,
    });
  }

  it.each([
    [{ appendfsync: "everysec" }, "process-crash"],
    [{ appendfsync: "no" }, "process-crash"],
    [{ appendfsync: "always" }, "power-loss"],
    [{ appendfsync: "always", "no-appendfsync-on-rewrite": "yes" }, "process-crash"],
  ])("%o: an acknowledged write survives %s", async (settings, durability) => {
    await set(settings);
    expect(await durabilityOf()).toBe(durability);
  });

  it.each(["allkeys-lru", "volatile-ttl", "allkeys-random"])(
    "refuses to keep sessions where %s drops them",
    async (policy) => {
      await set({ "maxmemory-policy": policy });
      await expectRefusal("CONFIG SET maxmemory-policy noeviction");
      expect(await durabilityOf({ ephemeral: true })).toBe("none");
    },
  );

  it("refuses to keep sessions where nothing is written to disk, snapshots of it all counting for nothing", async () => {
    await set({ appendonly: "no", save: "900 1" });
    await expectRefusal("CONFIG SET appendonly yes");
    expect(await durabilityOf({ ephemeral: true })).toBe("none");
    await set({ save: "" });
  });

  it("must be told what a server does that does not let its settings be read", async () => {
    await admin.call(
      "acl",
      "setuser",
      "guest",
      "on",
      ">word",
      "~{settings*",
      "&*",
      "+@all",
      "-config",
    );
    const url = server.url.replace("redis://", "redis://guest:word@");
    await expectRefusal("durability:", { url });
    expect(await durabilityOf({ url, durability: "replicated" })).toBe("replicated");
    await set({ "maxmemory-policy": "allkeys-lru" });
    await expectRefusal("noeviction", { url, durability: "replicated" });
  });

  it("believes a server that lets its settings be read more than its caller", async () => {
    expect(await durabilityOf({ durability: "replicated" })).toBe("process-crash");
  });

  it("works for a user with no more rights than it names, whom messages do not reach", async () => {
    const rights = ["+@read", "+@write", "+@scripting", "+@connection", "+info"];
    await admin.call("acl", "setuser", "modest", "on", ">word", "~{settings*", ...rights);
    const url = server.url.replace("redis://", "redis://modest:word@");
    expect(await durabilityOf({ url, durability: "process-crash" })).toBe("process-crash");
    await admin.call("acl", "setuser", "modest", "-@scripting");
    await expectRefusal("may not do", { url, durability: "process-crash" });
  });

  it("refuses a wrong password, and none where one is wanted", async () => {
    const url = server.url.replace("redis://", "redis://nobody:wrong@");
    await expectRefusal("does not know this user", { url });
    await admin.call("acl", "setuser", "default", ">word");
    await admin.call("acl", "setuser", "default", "resetpass", ">word");
    await expectRefusal("wants a password");
    expect(await durabilityOf({ url: server.url.replace("redis://", "redis://:word@") })).toBe(
      "process-crash",
    );
    await admin.call("acl", "setuser", "default", "nopass");
  });

  it("refuses a replica", async () => {
    await admin.call("replicaof", "127.0.0.1", "1");
    await expectRefusal("connect to the primary");
    await expectRefusal("connect to the primary", { ephemeral: true });
  });

  it("refuses a server on another machine that lets everybody in", async ({ skip }) => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === "IPv4" && !each.internal)?.address;
    if (address === undefined) return skip("this machine has no address but its own");
    const url = `redis://${address}:${server.port}`;
    await expectRefusal("insecure: true", { url });
    await expectRefusal("insecure: true", { url: `redis://:any@${address}:${server.port}` });
    expect(await durabilityOf({ url, insecure: true })).toBe("process-crash");
    await admin.call("acl", "setuser", "friend", "on", ">word", "~*", "&*", "+@all");
    expect(await durabilityOf({ url: `redis://friend:word@${address}:${server.port}` })).toBe(
      "process-crash",
    );
  });
});

const FACTS = {
  version: "7.0.0",
  isPrimary: true,
  isClustered: false,
  evictionPolicy: "noeviction",
  writesLog: true,
  logSync: "always",
  isOpenToAll: true,
} as const;
const DEMANDS = { ephemeral: false, insecure: false, durability: undefined, isCluster: false };

it.each([
  [{ host: "localhost" }, true],
  [{ host: "127.0.0.1" }, true],
  [{ host: "::1" }, true],
  [{ host: "localhost", path: "/run/redis.sock" }, true],
  [{ host: "localhost", path: null, sentinels: null }, true],
  [{ host: "localhost", sentinels: [{ host: "10.0.0.1" }] }, false],
  [{ host: "10.0.0.1" }, false],
  [{ host: "localhost.example.com" }, false],
  [{ host: "127.0.0.1.example.com" }, false],
  [{}, false],
])("whether %o is on this machine: %s", (address, isHere) => {
  const check = (): unknown => checkServer(FACTS, address, DEMANDS);
  if (isHere) expect(check()).toBe("power-loss");
  else expect(check).toThrow("insecure: true");
});

it("refuses a Redis before 7", () => {
  const check = (version: string): unknown =>
    checkServer({ ...FACTS, version }, { host: "localhost" }, DEMANDS);
  expect(() => check("6.2.14")).toThrow("version 6.2.14; use 7 or newer");
  expect(check("7.0.0")).toBe("power-loss");
  expect(check("10.1.0")).toBe("power-loss");
});
