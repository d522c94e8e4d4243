import type { Command, Terminal } from "./command.ts";
import { AGENT_HELP, AGENT_OPTIONS, findAgent } from "./find-agent.ts";
import { findNearest } from "./find-nearest.ts";
import { misuse, readArguments } from "./read-arguments.ts";
import { exportSessions, importSessions } from "./sessions/move-sessions.ts";
import { pruneSessions } from "./sessions/prune-sessions.ts";
import { removeSessions } from "./sessions/remove-sessions.ts";
import type { SessionDesk } from "./sessions/session-desk.ts";
import { listSessions, showSession } from "./sessions/show-sessions.ts";

const HELP = `Usage: turnkeep sessions <what> <agent> [<session>…] [options]

Looks after the sessions of an agent.

  ls <agent>                     which there are, and how they stand
  show <agent> <session>         its messages, state and tree
  export <agent> [<session>…]    to files, one each; all when none is named
  import <agent> <file>…         what export wrote; a session of that name must
                                 not be there yet (--as gives it another)
  rm <agent> <session>…          erases them, with everything under them
  prune <agent>                  erases idle sessions, oldest use first, and what
                                 the agent's retention lets go of

${AGENT_HELP}
  --older-than TIME    for prune: not used for so long, such as 30d, 12h or 90m
  --dry-run            for prune: say which ones, and erase none
  --yes                for rm and prune: do not ask
  --to FOLDER          for export: where the files go (here)
  --as NAME            for import: the name of the session
  --json               print lines as JSON
  --help               this text

Exit codes: 0 done, 1 could not, 2 called wrongly.

Examples:
  turnkeep sessions ls support --module ./agents.js
  turnkeep sessions prune support --module ./agents.js --older-than 30d`;

const OPTIONS = {
  ...AGENT_OPTIONS,
  "older-than": { type: "string" },
  "dry-run": { type: "boolean" },
  yes: { type: "boolean" },
  to: { type: "string" },
  as: { type: "string" },
  json: { type: "boolean" },
} as const;

const ACTIONS: Readonly<Record<string, (desk: SessionDesk) => Promise<void>>> = {
  ls: listSessions,
  show: showSession,
  export: exportSessions,
  import: importSessions,
  rm: removeSessions,
  prune: pruneSessions,
};

export const sessionsCommand: Command = {
  name: "sessions",
  summary: "list, show, export, import, erase and prune sessions",
  help: HELP,
  run,
};

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const { positionals, values } = readArguments(args, OPTIONS);
  const [what = "", name, ...named] = positionals;
  const act = Object.hasOwn(ACTIONS, what) ? ACTIONS[what] : undefined;
  if (act === undefined) throw misuse(unknownAction(what));
  const { agent, local, close } = await findAgent(name, values);
  const { tenant, json: isJson = false } = values;
  const owner = tenant === undefined ? {} : { tenant };
  await act({ agent, local, named, owner, isJson, values, terminal });
  await close();
}

function unknownAction(what: string): string {
  const names = Object.keys(ACTIONS);
  const near = findNearest(what, names);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return `Say what to do: ${names.join(", ")}.${hint}`;
}
