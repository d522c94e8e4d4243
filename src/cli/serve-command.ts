import process from "node:process";
import type { AuthDecision, RouteChoice, RouteGroup } from "../http/index.ts";
import type { RunningServer } from "../node/index.ts";
import type { Command, Terminal } from "./command.ts";
import { loadModule } from "./load-agents.ts";
import { misuse, oneOf, readArguments } from "./read-arguments.ts";
import { type NearOptions, serveNear } from "./serve-near.ts";
import { serveWithStudio, type WatchedServer } from "./serve-with-studio.ts";

const HELP = `Usage: turnkeep serve <module> [options]

Serves the agents that a module exports over HTTP, under /agents. SIGTERM gives
turns under way some time to end, and hands the rest over to other processes.

  <module>       a file that exports agents, and who may call them:
                   export const agents = [support, research];
                   export const auth = (request) => ({ tenant, principal });
                 and, optionally, the origins of web pages that may call:
                   export const origins = ["https://app.example"];
                 Agents, lists of them and registries count, under any name.

  --public       let in everybody, where the module exports no "auth"
  --routes LIST  what is served: "all", or some of agents, turn, snapshots, abort,
                 fork, labels, sessions, delete, export, import, with commas
                 between them. With --public, the first four by default: nobody
                 lists or deletes sessions. Else all
  --dev          for your own machine: --public --routes all, with the Studio and
                 its API, at the first free port from 4400 on
  --port N       where to listen (PORT of the environment, or 8080)
  --host NAME    the address to listen at (127.0.0.1; 0.0.0.0 for all)
  --origin URL   let pages of this origin call, besides the server's own; repeat
                 it for several: --origin http://localhost:5173
  --grace S      how many seconds turns may go on after SIGTERM (10)
  --log          print a line for each request
  --json         print lines as JSON
  --help         this text

Exit codes: 0 stopped as asked, 1 could not start, 2 called wrongly.

Example:
  turnkeep serve ./agents.js --public --port 3000`;

const OPTIONS = {
  public: { type: "boolean" },
  routes: { type: "string" },
  dev: { type: "boolean" },
  port: { type: "string" },
  host: { type: "string" },
  origin: { type: "string", multiple: true },
  grace: { type: "string" },
  log: { type: "boolean" },
  json: { type: "boolean" },
} as const;

const USUAL_PORT = 8080;
const DEV_PORT = 4400;

export const serveCommand: Command = {
  name: "serve",
  summary: "serve the agents of a module over HTTP",
  help: HELP,
  run,
};

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const { positionals, values } = readArguments(args, OPTIONS);
  const file = oneOf(positionals, "module that exports agents");
  const { grace, ...place } = settingsOf(values);
  const stopped = terminal.asksToStop();
  const { agents, auth, origins } = await loadModule(file);
  const { json = false } = values;
  const start: typeof serveNear = values.dev ? serveWithStudio : serveNear;
  const server: RunningServer & Partial<WatchedServer> = await start(agents, {
    ...place,
    origins: [...originsFrom(file, origins), ...(values.origin ?? [])],
    auth: whoMayCall(file, { auth, isPublic: values.dev === true || values.public === true }),
    routes: routesFrom(values),
    onError: (error, { requestId }) => terminal.err(`${requestId} ${textOf(error)}`),
    ...(values.log && { onAccess: (access) => terminal.out(accessLine(access, json)) }),
  });
  const names = agents.list().map(({ name }) => name);
  const { url, link } = server;
  if (json) terminal.out(JSON.stringify({ url, agents: names, studio: link }));
  else terminal.out(`ready: ${names.join(", ")} at ${url}/agents`);
  if (!json && link !== undefined) terminal.out(`Studio: ${link}`);
  await stopped;
  await server.close({ handOverMs: 1000 * Number(grace) });
}

function settingsOf(values: {
  readonly dev?: boolean;
  readonly host?: string;
  readonly port?: string;
  readonly grace?: string;
}): Pick<NearOptions, "asked" | "usual" | "hostname"> & { readonly grace: string } {
  const { dev = false, host, port } = values;
  const { grace = dev ? "0" : "10" } = values;
  if (!/^\d+$/.test(grace)) throw misuse("--grace must be a whole number of seconds.");
  if (dev && host !== undefined) throw misuse("--dev is for this machine: leave out --host.");
  return {
    // Whoever deploys counts on the port; whoever tries something takes what is free.
    asked: port ?? (dev ? undefined : (process.env["PORT"] ?? String(USUAL_PORT))),
    usual: DEV_PORT,
    hostname: host ?? "127.0.0.1",
    grace,
  };
}

// Which groups there are, the server knows.
function routesFrom({
  dev = false,
  routes = dev ? "all" : undefined,
}: {
  readonly dev?: boolean;
  readonly routes?: string | undefined;
}): RouteChoice | undefined {
  if (routes === undefined || routes === "all") return routes;
  return routes.split(",").map((group) => group.trim() as RouteGroup);
}

function whoMayCall(
  file: string,
  { auth, isPublic }: { readonly auth: unknown; readonly isPublic: boolean },
): AuthDecision {
  if (auth === "public" || typeof auth === "function") return auth as AuthDecision;
  if (isPublic) return "public";
  throw misuse(
    `Decide who may call: export "auth" from ${file}, a function that tells who a request is from, or say --public.`,
  );
}

function originsFrom(file: string, origins: unknown): readonly string[] {
  if (origins === undefined) return [];
  if (Array.isArray(origins) && origins.every((one) => typeof one === "string")) return origins;
  throw misuse(`"origins" of ${file} must be a list of texts, such as ["https://app.example"].`);
}

function accessLine(
  access: {
    readonly method: string;
    readonly path: string;
    readonly status: number;
    readonly milliseconds: number;
  },
  isJson: boolean,
): string {
  if (isJson) return JSON.stringify(access);
  const { method, path, status, milliseconds } = access;
  return `${status} ${method} ${path} ${Math.round(milliseconds)} ms`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
