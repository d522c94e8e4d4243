import { describe, expect, test } from "vitest";
import { databaseFile } from "../agent/life/stores.ts";
import { findFreePort } from "../support/services-server.ts";
import { freshQueue, REDIS } from "./engines.ts";
import { modulePath, startCli } from "./start-cli.ts";

interface Outcome {
  readonly code: number | NodeJS.Signals;
  readonly out: string;
  readonly err: string;
}

describe("turnkeep", () => {
  test("teaches its commands", async () => {
    const { code, out } = await outcome(["--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(/worker +work on detached turns/);
  });

  test.each([[[]], [["nonsense"]]])(
    "called with %j shows them as well, and is not content",
    async (args) => {
      const { code, err } = await outcome(args);
      expect(code).toBe(2);
      expect(err).toMatch(/Usage: turnkeep <command>/);
    },
  );
});

describe.skipIf(REDIS.url === "")("turnkeep worker", () => {
  test("teaches how it is used", async () => {
    const { code, out } = await outcome(["worker", "--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(/--redis URL .+ Redis or Valkey/);
    expect(out).toMatch(/Exit codes: 0 stopped as asked, 1 could not start, 2 called wrongly/);
  });

  const office = modulePath("office.mjs");
  const wrong: readonly (readonly [string, readonly string[], RegExp])[] = [
    ["no module", [], /Name one module/],
    ["two modules", [office, office], /Name one module/],
    ["an option it does not know", [office, "--speed", "9"], /--speed/],
    ["two queues", [office, "--redis", "a", "--postgres", "b"], /--redis or --postgres, not both/],
    ["a number that is none", [office, "--concurrency", "many"], /--concurrency must be a whole/],
    [
      "no slots",
      [office, "--redis", REDIS.url, "--concurrency", "0"],
      /concurrency must be .+ at least 1/,
    ],
    ["a queue nowhere", [office], /needs a queue/],
    ["a URL that is none", [office, "--redis", "localhost"], /must be a URL/],
  ];

  test.each(wrong)("called with %s says so, and how to learn more", async (_, args, complaint) => {
    const { code, err } = await outcome(["worker", ...args], officeAt(databaseFile()));
    expect(err).toMatch(complaint);
    expect(err).toMatch(/turnkeep worker --help/);
    expect(code).toBe(2);
  });

  const failing: readonly (readonly [string, string, RegExp])[] = [
    ["is not there", "nowhere.mjs", /There is no file .*nowhere\.mjs/],
    ["cannot be loaded", "broken.mjs", /could not be loaded: Error: The module is broken/],
    ["exports no agents", "no-agents.mjs", /exports no agents\. It exports: .* Export an agent/],
    ["has an agent without a store", "no-store.mjs", /Provide a 'store' when defining 'forgetful'/],
  ];

  test.each(failing)("with a module that %s says so", async (_, module, complaint) => {
    const { code, err } = await outcome(["worker", modulePath(module), "--redis", REDIS.url]);
    expect(err).toMatch(complaint);
    expect(code).toBe(1);
  });

  test("whose server is away says so once and ends", async () => {
    const url = `redis://:hush@127.0.0.1:${await findFreePort()}`;
    const { code, err } = await outcome(
      ["worker", office, "--redis", url],
      officeAt(databaseFile()),
    );
    expect(err.trim()).toMatch(
      /^The queue's server at 127\.0\.0\.1:\d+ does not answer\. Start it.+$/,
    );
    expect(code).toBe(1);
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "prints one line when it is ready, and ends at %s",
    async (signal) => {
      const queue = freshQueue(REDIS);
      const flags = ["--redis", REDIS.url, "--queue", queue, "--concurrency", "3"];
      const worker = startCli(["worker", office, ...flags], officeAt(databaseFile()));
      await worker.said("ready");
      worker.kill(signal);
      expect(await worker.ended).toBe(0);
      expect(worker.lines).toEqual(["ready: works for clerk, on 3 sessions at once"]);
      expect(worker.complaints).toEqual([]);
    },
  );

  test("says so as JSON where it is asked to", async () => {
    const flags = ["--redis", REDIS.url, "--queue", freshQueue(REDIS), "--json"];
    const worker = startCli(["worker", office, ...flags], officeAt(databaseFile()));
    await worker.said("{");
    const [line = ""] = worker.lines;
    expect(JSON.parse(line)).toEqual({ ready: true, agents: ["clerk"], concurrency: 8 });
    worker.kill("SIGTERM");
    expect(await worker.ended).toBe(0);
  });
});

function officeAt(database: string): NodeJS.ProcessEnv {
  return { TURNKEEP_OFFICE: JSON.stringify({ database, leaseMs: 2000 }) };
}

async function outcome(args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<Outcome> {
  const { ended, lines, complaints } = startCli(args, environment);
  const code = await ended;
  return { code, out: lines.join("\n"), err: complaints.join("\n") };
}
