import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { onTestFinished } from "vitest";
import "../support/built.ts";

const require = createRequire(import.meta.url);
const HERE = dirname(fileURLToPath(import.meta.url));

/** Runs Deno and gives the first line it prints. It is ended with the test. */
export async function runDeno(...args: readonly string[]): Promise<string> {
  const flags = ["--no-remote", "--node-modules-dir=manual", "--allow-net=127.0.0.1"];
  return await firstLine(programOf("@deno/linux-x64-glibc", "deno"), [
    "run",
    "--quiet",
    "--no-config",
    ...flags,
    "--allow-env",
    join(HERE, "deno.mjs"),
    ...args,
  ]);
}

/** Serves the worker with workerd, the runtime of Cloudflare's Workers, and gives its address. It is ended with the test. */
export async function serveWorker(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "turnkeep-worker-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await bundle(folder);
  await writeFile(join(folder, "worker.capnp"), WORKER_CONFIG);
  const program = programOf("@cloudflare/workerd-linux-64", "bin/workerd");
  const config = join(folder, "worker.capnp");
  const line = await firstLine(program, ["serve", config, "--control-fd=1"]);
  const { port } = JSON.parse(line) as { readonly port: number };
  return `http://127.0.0.1:${port}`;
}

// A worker is one file.
async function bundle(folder: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true, target: "webworker" },
    build: {
      ssr: join(HERE, "worker.mjs"),
      outDir: folder,
      rollupOptions: { output: { entryFileNames: "worker.js", codeSplitting: false } },
    },
  });
}

const WORKER_CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "network", network = (allow = ["private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-01",
  globalOutbound = "network",
);
`;

async function firstLine(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let complaint = "";
  child.stderr.on("data", (data: Buffer) => (complaint += data.toString()));
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error(`It said nothing but: ${complaint}`);
}

function programOf(name: string, path: string): string {
  return join(dirname(require.resolve(`${name}/package.json`)), path);
}

/** Whether the machine is one that the runtimes are there for. */
export function hasRuntimes(): boolean {
  try {
    programOf("@deno/linux-x64-glibc", "");
    programOf("@cloudflare/workerd-linux-64", "");
    return true;
  } catch {
    return false;
  }
}
