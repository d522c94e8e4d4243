import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { askPostgres, askRedis } from "../support/services-dialogue.ts";
import { reportMissing } from "../support/services-missing.ts";
import { type RunningService, type ServiceName, startServices } from "../support/services-start.ts";
import { isAlive, sweepAbandonedServers } from "../support/services-sweep.ts";

const OWN_SERVERS = { ...process.env, TEST_DATABASE_URL: undefined, TEST_REDIS_URL: undefined };
const AUTHENTICATION_OK = "R\0\0\0\x08\0\0\0\0";

type Skip = (note?: string) => never;

test("a real Postgres lets us in, answers a query, and leaves nothing behind", async ({ skip }) => {
  await withService("postgres", skip, async ({ url }) => {
    const answer = await askPostgres(Number(new URL(url).port), "SELECT 41 + 1");
    expect(answer.startsWith(AUTHENTICATION_OK)).toBe(true);
    expect(answer).toContain("\x0242");
  });
});

test("a real Redis answers a ping, and leaves nothing behind", async ({ skip }) => {
  await withService("redis", skip, async ({ url }) => {
    expect(await askRedis(Number(new URL(url).port), "PING")).toBe("+PONG\r\n");
  });
});

test.for(["postgres", "redis"] as const)(
  "a %s left by a killed run is swept by the next one",
  async (name, { skip }) => {
    const { pid = 0, directory = "" } = (await startAndDie(name)) ?? skip(`${name} is missing`);
    expect(isAlive(pid)).toBe(true);
    await sweepAbandonedServers();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(directory)).toBe(false);
  },
);

test("a server given by the environment is used as it is, and not stopped", async () => {
  const url = "redis://cache.example:6379";
  const { running, stop } = await startServices(["redis"], { TEST_REDIS_URL: url });
  await stop();
  expect(running.redis).toMatchObject({ url, origin: "TEST_REDIS_URL" });
  expect(running.redis?.pid).toBeUndefined();
});

test("a missing server is an error only in continuous integration", () => {
  const missing = [{ name: "redis", reason: "none was found" }] as const;
  const banner = vi.spyOn(console, "error").mockReturnValue();
  expect(() => reportMissing(missing, { CI: "true" })).toThrow("redis: none was found");
  expect(() => reportMissing([], { CI: "true" })).not.toThrow();
  reportMissing(missing, {});
  expect(banner).toHaveBeenCalledWith(expect.stringContaining("redis: none was found"));
  banner.mockRestore();
});

async function withService(
  name: ServiceName,
  skip: Skip,
  use: (service: RunningService) => Promise<void>,
): Promise<void> {
  const { running, missing, stop } = await startServices([name], OWN_SERVERS);
  reportMissing(missing);
  const service = running[name] ?? skip(`${name} is missing`);
  try {
    await use(service);
  } finally {
    await stop();
  }
  expect(isAlive(service.pid ?? 0)).toBe(false);
  expect(existsSync(service.directory ?? "")).toBe(false);
}

/** A test run that is killed while its server runs. */
async function startAndDie(name: ServiceName): Promise<RunningService | undefined> {
  const module = new URL("../support/services-start.ts", import.meta.url).href;
  const program = `
    const { startServices } = await import(${JSON.stringify(module)});
    const { running } = await startServices(["${name}"]);
    process.stdout.write(JSON.stringify(running["${name}"] ?? null));
    process.kill(process.pid, "SIGKILL");
  `;
  const command = ["--import", "tsx", "--input-type=module", "--eval", program];
  const ended = promisify(execFile)(process.execPath, command, { env: OWN_SERVERS });
  const { stdout } = await ended.catch((error: { stdout: string }) => error);
  return (JSON.parse(stdout) as RunningService | null) ?? undefined;
}
