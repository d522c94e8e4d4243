import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, labelHome, removeHome, type ServerHome } from "./services-home.ts";

export interface ServerCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly stopSignal: NodeJS.Signals;
  /** Asks the server something. Rejects until it answers: an open port alone proves nothing. */
  readonly greet: () => Promise<unknown>;
  readonly account?: Account | undefined;
}

/** A server that may be run, and run again on the same data. */
export interface PreparedServer {
  readonly home: ServerHome;
  readonly command: ServerCommand;
  readonly url: string;
  /** Where its program came from. */
  readonly origin: string;
}

export interface Server {
  readonly pid: number;
  /** Ends the process and removes its home. */
  readonly stop: () => Promise<void>;
  /** Ends the process as kill -9 does, and leaves its home as it is. */
  readonly crash: () => Promise<void>;
}

const PORTS = [15_000, 32_000] as const;
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 10_000;
const OUTPUT_KEPT = 4_000;

/** Runs a server in its home; resolves once it answers. */
export async function runServer(home: ServerHome, command: ServerCommand): Promise<Server> {
  const { stopSignal, greet } = command;
  const child = spawn(command.program, command.arguments, {
    ...command.account,
    cwd: home.data,
    env: command.environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collectOutput(child);
  try {
    await once(child, "spawn");
    labelHome(home.directory, { runnerPid: process.pid, serverPid: pidOf(child), stopSignal });
    await waitForGreeting(greet, child);
  } catch (error) {
    await endProcess(child, "SIGKILL");
    throw new Error(`${command.program} did not start. ${output()}`, { cause: error });
  }
  return {
    pid: pidOf(child),
    crash: () => endProcess(child, "SIGKILL"),
    stop: async () => {
      await endProcess(child, stopSignal);
      removeHome(home.directory);
    },
  };
}

/**
 * A port that nothing listens on. Not one of those that the system gives to whoever dials out: while a server is down, its own
 * clients could be given its port.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < 1000; tries += 1) {
    const port = randomInt(...PORTS);
    if (await isFree(port)) return port;
  }
  throw new Error("No TCP port to be had.");
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!isRunning(child)) return;
  const exited = once(child, "exit");
  child.kill(signal);
  const impatience = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(impatience);
}

async function waitForGreeting(greet: () => Promise<unknown>, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (isRunning(child)) {
    try {
      await greet();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(20);
    }
  }
  throw new Error(`It exited with ${child.exitCode ?? child.signalCode}.`);
}

function collectOutput(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text = (text + chunk).slice(-OUTPUT_KEPT);
    });
  }
  return () => text;
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error("The process was never started.");
  return child.pid;
}
