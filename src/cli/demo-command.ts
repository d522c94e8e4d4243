import type { Command, Terminal } from "./command.ts";
import { openDemo } from "./demo-place.ts";
import { paintFor } from "./paint.ts";
import { misuse, readArguments } from "./read-arguments.ts";
import { serveWithStudio } from "./serve-with-studio.ts";

const HELP = `Usage: turnkeep demo [options]

Serves six agents that between them show what there is: a prompt that knows the
state, approvals, artifacts, work in the background, agents under agents, a loop
of its own. The link it prints opens the Studio, a page to talk to them and to
watch them. What is said is kept in .turnkeep/demo.db of the folder you are in.

They need no key and no network: a script answers, and says that it is one. With
GEMINI_API_KEY or OPENAI_API_KEY set, and Genkit's plugin for it installed, the
real model answers. TURNKEEP_MODEL names another model of the same plugin.

  --port N       where to listen (4400; the next free one if it is taken)
  --scripted     let the script answer, whatever keys there are
  --json         print the addresses as one line of JSON
  --help         this text

Talk to them from another terminal:
  turnkeep chat concierge --url http://127.0.0.1:4400

Exit codes: 0 stopped as asked, 1 could not start, 2 called wrongly.`;

const OPTIONS = {
  port: { type: "string" },
  scripted: { type: "boolean" },
  json: { type: "boolean" },
} as const;

const USUAL_PORT = 4400;

export const demoCommand: Command = {
  name: "demo",
  summary: "try it: six agents, a page to watch them, no key needed",
  help: HELP,
  run,
};

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const { positionals, values } = readArguments(args, OPTIONS);
  if (positionals.length > 0) throw misuse("The demo takes options only.");
  const stopped = terminal.asksToStop();
  const { agents, store, model } = await openDemo({ isScripted: values.scripted === true });
  const server = await serveWithStudio(agents, {
    asked: values.port,
    usual: USUAL_PORT,
    auth: "public",
    routes: "all",
    onError: (error) => terminal.err(error instanceof Error ? error.message : String(error)),
  });
  const { url, link } = server;
  const names = agents.map(({ name }) => name);
  if (values.json) terminal.out(JSON.stringify({ url, studio: link, agents: names, model }));
  else tell(terminal, { url, link, names, model });
  await stopped;
  await server.close();
  await store.close();
}

function tell(
  terminal: Terminal,
  demo: {
    readonly url: string;
    readonly link: string;
    readonly names: readonly string[];
    readonly model: string;
  },
): void {
  const { bold, dim } = paintFor(terminal);
  terminal.out(`${bold("Turnkeep demo")}: ${demo.link}`);
  terminal.out(dim(`Agents: ${demo.names.join(", ")}. Model: ${demo.model}.`));
  terminal.out(dim(`In another terminal: npx turnkeep chat concierge --url ${demo.url}`));
}
