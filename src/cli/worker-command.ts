import {
  startWorker,
  type StartWorkerOptions,
  type WorkerTrouble,
} from "../workers/bullmq/index.ts";
import type { Command, Terminal } from "./command.ts";
import { loadAgents } from "./load-agents.ts";
import { plural } from "./plural.ts";
import { misuse, oneOf, readArguments } from "./read-arguments.ts";

const HELP = `Usage: turnkeep worker <module> [options]

Works on the detached turns of the agents that a module exports, and takes over
turns whose process died. Start as many as you like, on as many machines as the
agents' stores can be reached from. SIGTERM hands over what is under way.

  <module>             a file that exports agents, each with its store:
                         export const agents = [support, research];

  --redis URL          where the queue is: a Redis or Valkey server
  --postgres URL       or a Postgres database. Without either, the queue of the
                       agents' own dispatcher is used.
  --queue NAME         the queue's name (turnkeep)
  --concurrency N      sessions worked on at once (8)
  --per-tenant N       how many of them may be of one tenant (all)
  --per-agent N        how many of them may be of one agent (all)
  --grace SECONDS      how long turns may go on after SIGTERM before they are
                       handed over (0)
  --json               say as a line of JSON that it is ready
  --help               this text

Exit codes: 0 stopped as asked, 1 could not start, 2 called wrongly.

Example:
  turnkeep worker ./agents.js --redis redis://localhost:6379 --concurrency 16`;

const OPTIONS = {
  redis: { type: "string" },
  postgres: { type: "string" },
  queue: { type: "string" },
  concurrency: { type: "string" },
  "per-tenant": { type: "string" },
  "per-agent": { type: "string" },
  grace: { type: "string" },
  json: { type: "boolean" },
} as const;

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>["values"];

export const workerCommand: Command = {
  name: "worker",
  summary: "work on detached turns, and on those whose process died",
  help: HELP,
  run,
};

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const { positionals, values } = readArguments(args, OPTIONS);
  const file = oneOf(positionals, "module that exports agents");
  const settings = settingsOf(values);
  const handOverMs = 1000 * (numberOf(values, "grace") ?? 0);
  const stopped = terminal.asksToStop();
  const agents = await loadAgents(file);
  const onError = (trouble: WorkerTrouble): void => terminal.err(textOf(trouble));
  const worker = await startWorker({ ...settings, agents, onError });
  const names = agents.map(({ name }) => name);
  const { concurrency } = settings;
  if (values.json) terminal.out(JSON.stringify({ ready: true, agents: names, concurrency }));
  else
    terminal.out(
      `ready: works for ${names.join(", ")}, on ${plural(concurrency, "session")} at once`,
    );
  await stopped;
  await worker.stop({ handOverMs });
}

function settingsOf(
  values: Values,
): Omit<StartWorkerOptions, "agents"> & { readonly concurrency: number } {
  const { redis, postgres, queue } = values;
  if (redis !== undefined && postgres !== undefined)
    throw misuse("Use --redis or --postgres, not both.");
  const connection = redis ?? postgres;
  const perTenant = numberOf(values, "per-tenant");
  const perAgent = numberOf(values, "per-agent");
  return {
    concurrency: numberOf(values, "concurrency") ?? 8,
    ...(connection !== undefined && { connection }),
    ...(queue !== undefined && { queue }),
    ...(perTenant !== undefined && { perTenant }),
    ...(perAgent !== undefined && { perAgent }),
  };
}

function numberOf(
  values: Values,
  name: "concurrency" | "grace" | "per-agent" | "per-tenant",
): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw misuse(`--${name} must be a whole number.`);
  return Number(text);
}

function textOf({ error, more }: WorkerTrouble): string {
  const text = error instanceof Error ? error.message : String(error);
  return more === 0 ? text : `${text} (and ${more} more)`;
}
