import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { CrashableServer } from "../support/crashable-server.ts";
import { FaultProxy } from "../support/fault-proxy.ts";
import { postgresUrl } from "../support/postgres-url.ts";
import { redisUrl } from "../support/redis-url.ts";
import { askPostgres, askRedis } from "../support/services-dialogue.ts";

test("a proxy lets through what both sides say, and that they are done", async () => {
  const { proxy } = await echoBehindProxy();
  const socket = await dial(proxy);
  socket.end("hello");
  expect(await heardUntilEnd(socket)).toBe("hello");
});

test("a black hole swallows everything in silence, and gives it back when it heals", async () => {
  const { proxy, heard } = await echoBehindProxy();
  const early = await dial(proxy);
  early.write("before ");
  await once(early, "data");
  proxy.traffic = "hold";
  early.write("within");
  const late = await dial(proxy);
  late.write("newcomer");
  await sleep(50);
  expect(heard()).toBe("before ");
  proxy.traffic = "pass";
  expect(String((await once(early, "data"))[0])).toBe("within");
  expect(String((await once(late, "data"))[0])).toBe("newcomer");
});

test("a client that dies in a black hole is not missed before it heals", async () => {
  const { proxy, closed } = await echoBehindProxy();
  const socket = await dial(proxy);
  socket.write("hello");
  await once(socket, "data");
  proxy.traffic = "hold";
  socket.resetAndDestroy();
  await sleep(50);
  expect(closed()).toBe(0);
  proxy.traffic = "pass";
  await expect.poll(closed).toBe(1);
});

test("a reset cuts connections; new ones get through", async () => {
  const { proxy } = await echoBehindProxy();
  const socket = await dial(proxy);
  const cut = new Promise((resolve) => socket.once("close", resolve));
  socket.write("hello");
  await once(socket, "data");
  proxy.reset();
  await cut;
  const next = await dial(proxy);
  next.end("again");
  expect(await heardUntilEnd(next)).toBe("again");
});

test.skipIf(redisUrl === "")("a Redis that was killed has all it said ok to", async () => {
  const server = await crashable("redis");
  for (let round = 1; round <= 3; round += 1) {
    await askRedis(server.port, `SET round ${round}`);
    await server.crash();
    await server.restart();
    expect(await askRedis(server.port, "GET round")).toBe(`$1\r\n${round}\r\n`);
  }
});

test.skipIf(postgresUrl === "")("so has a Postgres", async () => {
  const server = await crashable("postgres");
  await askPostgres(server.port, "CREATE TABLE rounds (round int)");
  for (let round = 1; round <= 3; round += 1) {
    await askPostgres(server.port, "INSERT INTO rounds VALUES (7)");
    await server.crash();
    await server.restart();
    const answer = await askPostgres(server.port, "SELECT count(*) FROM rounds");
    expect(answer).toContain(`\x01${round}`);
  }
});

async function crashable(name: "postgres" | "redis"): Promise<CrashableServer> {
  const server = await CrashableServer.start(name);
  onTestFinished(() => server.stop());
  return server;
}

async function echoBehindProxy() {
  let heard = "";
  let closed = 0;
  const server = createServer((socket) => {
    socket.on("data", (data) => {
      heard += data.toString();
      socket.write(data);
    });
    socket.on("error", () => {});
    socket.on("close", () => (closed += 1));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const proxy = await FaultProxy.start(typeof address === "object" ? (address?.port ?? 0) : 0);
  onTestFinished(async () => {
    await proxy.stop();
    server.close();
  });
  return { proxy, heard: () => heard, closed: () => closed };
}

async function dial({ port }: FaultProxy): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

async function heardUntilEnd(socket: Socket): Promise<string> {
  let heard = "";
  for await (const data of socket) heard += String(data);
  return heard;
}
