import { createServer } from "node:http";
import process from "node:process";
import { toNodeHandler } from "../node/index.ts";
import type { Prices } from "../reflection/index.ts";
import { studio } from "../studio/index.ts";
import type { Command, Terminal } from "./command.ts";
import { listenNear } from "./listen-near.ts";
import { loadModule } from "./load-agents.ts";
import { oneOf, portFrom, readArguments } from "./read-arguments.ts";
import { showGenkitSpans } from "./show-genkit-spans.ts";

const HELP = `Usage: turnkeep studio <module> [options]

Serves the Studio for the agents that a module exports: a page that shows their
sessions, runs and state, and talks to them. Only this machine can reach it, and
only with the link that is printed.

  <module>       a file that exports agents:
                   export const agents = [support, research];
                 and, for money to be shown, what a million tokens cost:
                   export const prices = { currency: "EUR", perMillion:
                     { support: { inputTokens: 3, outputTokens: 15 } } };

  --port N       where to listen (4400); the next free one if it is taken
  --mount PATH   the path of the page (/studio)
  --read-only    refuse whatever would change something
  --json         print the link as a line of JSON
  --help         this text

Exit codes: 0 stopped as asked, 1 could not start, 2 called wrongly.

Example:
  turnkeep studio ./agents.js --port 5000`;

const OPTIONS = {
  port: { type: "string" },
  mount: { type: "string" },
  "read-only": { type: "boolean" },
  json: { type: "boolean" },
} as const;

const USUAL_PORT = "4400";
const HOST = "127.0.0.1";

export const studioCommand: Command = {
  name: "studio",
  summary: "serve a page that shows agents, sessions and runs",
  help: HELP,
  run,
};

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const { positionals, values } = readArguments(args, OPTIONS);
  const { mount = "/studio", "read-only": readOnly = false } = values;
  const file = oneOf(positionals, "module that exports agents");
  const wanted = portFrom(values.port ?? USUAL_PORT);
  const stopped = terminal.asksToStop();
  const { agents, prices } = await loadModule(file);
  const server = createServer();
  const port = await listenNear(server, { port: wanted, host: HOST });
  const served = studio(agents, {
    environment: process.env["NODE_ENV"],
    path: mount,
    readOnly,
    // What are no prices, it refuses.
    ...(prices !== undefined && { prices: prices as Prices }),
    // Whatever else this machine is called by: a page whose name leads here is not let in.
    hosts: [`${HOST}:${port}`, `localhost:${port}`],
    onError: (error) => terminal.err(error instanceof Error ? error.message : String(error)),
  });
  await showGenkitSpans();
  const answer = toNodeHandler(served);
  server.on("request", (request, response) => {
    answer(request, response).catch(() => void response.destroy());
  });
  const link = served.linkAt(`http://${HOST}:${port}`);
  const names = agents.list().map(({ name }) => name);
  if (values.json) terminal.out(JSON.stringify({ studio: link, agents: names }));
  else {
    if (port !== wanted) terminal.out(`Port ${wanted} is taken; using ${port}.`);
    terminal.out(`Studio: ${link}`);
  }
  await stopped;
  server.close();
  server.closeAllConnections();
  await Promise.all(agents.list().map((agent) => agent.close()));
}
