import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { onTestFinished } from "vitest";

const require = createRequire(import.meta.url);
const HERE = dirname(fileURLToPath(import.meta.url));

/** Runs Deno and gives the first line it prints. It is ended with the test. */
export async function runDeno(...args: readonly string[]): Promise<string> {
  const program = join(dirname(require.resolve("deno/package.json")), "bin.cjs");
  const flags = ["--no-remote", "--node-modules-dir=manual", "--allow-net=127.0.0.1"];
  return await firstLine(process.execPath, [
    program,
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
  const program = join(dirname(require.resolve("workerd/package.json")), "bin/workerd");
  const config = join(folder, "worker.capnp");
  const line = await firstLine(process.execPath, [program, "serve", config, "--control-fd=1"]);
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
  // What npm installs only starts the runtime, so that there are two to end.
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  onTestFinished(() => endGroup(child.pid));
  let complaint = "";
  child.stderr.on("data", (data: Buffer) => (complaint += data.toString()));
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error(`It said nothing but: ${complaint}`);
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
