import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildCustomAgent } from "turnkeep";
import { bullmqDispatcher } from "turnkeep/workers/bullmq";
import { describe, expect, test } from "vitest";
import { user } from "../agent/agents.ts";
import { whenOver } from "../agent/life/leftovers.ts";
import { openShared, scratchDirectory } from "../agent/life/stores.ts";
import { until } from "../agent/life/waiting.ts";
import { requestInit, turn } from "../http/serving.ts";
import { freshQueue, REDIS } from "../workers/engines.ts";
import { type CliProcess, startCli } from "../workers/start-cli.ts";

const moduleAt = (name: string): string =>
  fileURLToPath(new URL(`modules/${name}`, import.meta.url));
const STEPPER = moduleAt("stepper.mjs");
const PATIENT = moduleAt("patient.mjs");
const GRACE = ["--port", "0", "--grace", "60"];

/** Ways to serve the agent in a process that has imported Genkit. */
const SERVERS: readonly (readonly [string, (folder: string) => CliProcess])[] = [
  [
    "an own server, Genkit imported before closeOnSignals",
    (folder) => startCli([], orderOf(folder, true), folder, moduleAt("own-server.mjs")),
  ],
  [
    "an own server, Genkit imported after closeOnSignals",
    (folder) => startCli([], orderOf(folder, false), folder, moduleAt("own-server.mjs")),
  ],
  [
    "turnkeep serve",
    (folder) => startCli(["serve", STEPPER, "--public", ...GRACE], orderOf(folder, true), folder),
  ],
];

describe.each(SERVERS)("%s", (_, start) => {
  test("finishes a detached turn after SIGTERM, and exits with 0", async () => {
    const { server, url, folder } = await started(start);
    await detach(url);
    await stopDuringSecondStep(server, { url, folder });
    openSteps(folder, "2", "3");
    expect(await server.ended).toBe(0);
    expect(await lastSaid(folder)).toBe("stop: three steps");
  });

  test("answers a caller that waits after SIGTERM, and exits with 0", async () => {
    const { server, url, folder } = await started(start);
    const answered = fetch(`${url}/agents/stepper`, requestInit({ body: turn("go") }));
    await stopDuringSecondStep(server, { url, folder });
    openSteps(folder, "2", "3");
    const { result } = (await (await answered).json()) as {
      readonly result: { readonly finishReason: string };
    };
    expect(result.finishReason).toBe("stop");
    expect(await server.ended).toBe(0);
  });

  test("ends at once at the second SIGTERM", async () => {
    const { server, url, folder } = await started(start);
    await detach(url);
    await stopDuringSecondStep(server, { url, folder });
    server.kill("SIGTERM");
    expect(await server.ended).toBe("SIGTERM");
  });
});

test("turnkeep dev with Genkit imported hands a running turn to the server that it starts next", async () => {
  const folder = scratchDirectory();
  const module = join(folder, "agents.mjs");
  writeFileSync(module, `export * from ${JSON.stringify(pathToFileURL(PATIENT).href)};\n`);
  const dev = startCli(["dev", module, "--port", "0"], { TURNKEEP_PATIENT: folder }, folder);
  // Its server would outlive it, were it killed.
  whenOver(async () => {
    dev.kill("SIGTERM");
    await dev.ended;
  });
  await dev.said("ready");
  await detach(urlOf(dev), "patient");
  const beginnings = (): readonly string[] => dev.lines.filter((line) => line.startsWith("begun"));
  await until(() => beginnings().length === 1);
  writeFileSync(module, `${readFileSync(module, "utf8")}// Saved again.\n`);
  await until(() => beginnings().length === 2);
  expect(new Set(beginnings()).size).toBe(2);
  writeFileSync(join(folder, "go"), "");
  await dev.said("ended");
});

test.skipIf(REDIS.url === "")(
  "turnkeep worker with Genkit imported finishes its turn after SIGTERM, and exits with 0",
  async () => {
    const folder = scratchDirectory();
    const queue = freshQueue(REDIS);
    const store = await openShared(join(folder, "steps.db"));
    const dispatcher = bullmqDispatcher({ connection: REDIS.url, queue });
    const front = buildCustomAgent({ name: "stepper", store, dispatcher }, () => {});
    whenOver(async () => await front.close());
    const flags = ["--redis", REDIS.url, "--queue", queue, "--grace", "60"];
    const worker = startCli(["worker", STEPPER, ...flags], orderOf(folder, true), folder);
    await worker.said("ready");
    await front.detach(user("go"), { sessionId: "s" });
    openSteps(folder, "1");
    await worker.said("step 2");
    worker.kill("SIGTERM");
    openSteps(folder, "2", "3");
    expect(await worker.ended).toBe(0);
    expect(await lastSaid(folder)).toBe("stop: three steps");
  },
);

test("other listeners run after the server has closed, and the process exits", async () => {
  const server = startCli([], {}, undefined, moduleAt("listeners.mjs"));
  await server.said("ready");
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
  expect(server.lines.slice(0, 4)).toEqual(["count 6", "ready", "closing in 10000", "closed"]);
  expect(server.lines.slice(4).toSorted()).toEqual([
    "A listener failed.",
    "on SIGTERM 15",
    "once",
    "twice",
    "twice",
  ]);
});

interface RunningSteps {
  readonly server: CliProcess;
  readonly url: string;
  readonly folder: string;
}

async function started(start: (folder: string) => CliProcess): Promise<RunningSteps> {
  const folder = scratchDirectory();
  const server = start(folder);
  await server.said("ready");
  return { server, url: urlOf(server), folder };
}

function urlOf({ lines }: CliProcess): string {
  return /http:\/\/[\d.:]+/.exec(lines.join("\n"))?.[0] ?? "";
}

async function detach(url: string, agent = "stepper"): Promise<void> {
  const body = { data: { ...user("go"), detach: true }, init: { sessionId: "s" } };
  const { status } = await fetch(`${url}/agents/${agent}`, requestInit({ body }));
  expect(status).toBe(200);
}

async function stopDuringSecondStep(
  server: CliProcess,
  { url, folder }: Omit<RunningSteps, "server">,
): Promise<void> {
  openSteps(folder, "1");
  await server.said("step 2");
  server.kill("SIGTERM");
  // It takes no more requests, so the signal has arrived.
  await until(
    async () =>
      await fetch(`${url}/health`).then(
        ({ ok }) => !ok,
        () => true,
      ),
  );
}

function openSteps(folder: string, ...names: readonly string[]): void {
  for (const name of names) writeFileSync(join(folder, name), "");
}

function orderOf(folder: string, importsGenkit: boolean): NodeJS.ProcessEnv {
  return { TURNKEEP_STEPPER: JSON.stringify({ folder, importsGenkit }) };
}

async function lastSaid(folder: string): Promise<string> {
  const store = await openShared(join(folder, "steps.db"));
  const agent = buildCustomAgent({ name: "stepper", store }, () => {});
  const { finishReason, state } = await agent.getLatestSnapshot("s");
  return `${finishReason}: ${state?.messages?.at(-1)?.content[0]?.text}`;
}
