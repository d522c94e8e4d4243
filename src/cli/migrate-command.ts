import { TurnkeepError } from "../protocol/index.ts";
import { chooseStores, type ChosenStore } from "./chosen-stores.ts";
import type { Command, Terminal } from "./command.ts";
import { diagnose } from "./doctor-command.ts";
import { plural } from "./plural.ts";
import { readStoreArguments } from "./store-arguments.ts";

const HELP = `Usage: turnkeep migrate <module> [options]
       turnkeep migrate --store <url-or-path> [options]

Brings the schema of stores up to date, as opening them always does: use it to
do so once before a deploy, or as a user with more rights than the one that
serves. Says which version of the schema was found and what it was brought to.
With a module it also says what becomes of states of older versions: they are
migrated when they are read, so nothing has to be rewritten.

  <module>             a file that exports agents, each with its store
  --store PLACE        or one store: a SQLite file, the folder of a file store,
                       or a postgres:// or redis:// URL
  --schema NAME        its schema on Postgres (turnkeep)
  --prefix NAME        its prefix on Redis
  --tenant NAME        whose sessions are counted; repeat it for several
                       (everybody's)
  --json               the result as one line of JSON
  --help               this text

Exit codes: 0 all is up to date, 1 a store was written by a newer Turnkeep or
could not be opened, or states cannot be migrated, 2 called wrongly.

Example:
  turnkeep migrate ./agents.js`;

export const migrateCommand: Command = {
  name: "migrate",
  summary: "bring the schema of stores up to date",
  help: HELP,
  run,
};

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const given = readStoreArguments(args, { unknown: ["all"] });
  const stores = await chooseStores(given);
  const found = stores.map(({ name, store }) => ({ name, ...store.schema }));
  if (!given.json) for (const chosen of stores) terminal.out(lineOf(chosen));
  if (given.store !== undefined) {
    for (const { store } of stores) await store.close();
    if (given.json) terminal.out(JSON.stringify({ stores: found }));
    return;
  }
  const { sessions, older, failures } = await diagnose(stores, given, terminal);
  if (given.json) {
    terminal.out(JSON.stringify({ stores: found, sessions, older, failures: failures.length }));
  } else {
    terminal.out(
      `${older} of ${plural(sessions, "session")} ${older === 1 ? "keeps" : "keep"} an older state: it is migrated when it is read`,
    );
  }
  if (failures.length === 0) return;
  throw new TurnkeepError(
    "FAILED_PRECONDITION",
    `${failures.length} states cannot be read by this build: see turnkeep doctor ${given.module}`,
  );
}

function lineOf({ name, store: { schema } }: ChosenStore): string {
  if (schema === undefined) return `up to date: ${name}`;
  const { found, version } = schema;
  if (found === version) return `up to date: ${name}, with schema version ${version}`;
  const before = found === 0 ? "nothing" : `schema version ${found}`;
  return `migrated: ${name}, from ${before} to schema version ${version}`;
}
