import { type Damage, type SessionKey, verifySession } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { chooseStores, type ChosenStore } from "./chosen-stores.ts";
import type { Command, Terminal } from "./command.ts";
import { eachSession } from "./each-session.ts";
import { readStoreArguments } from "./store-arguments.ts";

const HELP = `Usage: turnkeep verify <module> [options]
       turnkeep verify --store <url-or-path> [options]

Reads everything that is kept of every session and holds it against its hashes:
snapshots, the rows their content is folded from, and the logs of runs. Names
each damaged row with its session and snapshot. Changes nothing, and may run
while the store is in use.

  <module>             a file that exports agents: their stores are verified
  --store PLACE        or one store: a SQLite file, the folder of a file store,
                       or a postgres:// or redis:// URL
  --schema NAME        its schema on Postgres (turnkeep)
  --prefix NAME        its prefix on Redis
  --tenant NAME        whose sessions; repeat it for several (the agents' own
                       tenants, else local)
  --json               the result as one line of JSON
  --help               this text

Exit codes: 0 all is sound, 1 damage was found or the store could not be read,
2 called wrongly.

Example:
  turnkeep verify --store support.db`;

export const verifyCommand: Command = {
  name: "verify",
  summary: "hold every stored session against its hashes",
  help: HELP,
  run,
};

interface FoundDamage extends Damage {
  readonly tenant: string;
  readonly agent: string;
  readonly sessionId: string;
}

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const given = readStoreArguments(args, { unknown: ["all"] });
  const damages: FoundDamage[] = [];
  let sessions = 0;
  let snapshots = 0;
  for (const chosen of await chooseStores(given)) {
    for await (const { key, check } of checks(chosen, terminal)) {
      sessions += 1;
      snapshots += check.snapshots;
      const found = check.damages.map((damage) => ({ ...nameOf(key), ...damage }));
      damages.push(...found);
      if (!given.json) tell(terminal, found.map(lineOf));
    }
    if (given.store !== undefined) await chosen.store.close();
  }
  if (given.json) terminal.out(JSON.stringify({ sessions, snapshots, damages }));
  else tell(terminal, [`${sessions} sessions with ${snapshots} snapshots verified`]);
  if (damages.length === 0) return;
  throw new TurnkeepError(
    "DATA_LOSS",
    `${damages.length} damages found. Sessions go on from a sound snapshot, or come back from a backup; nothing was changed.`,
  );
}

function tell({ out }: Terminal, lines: readonly string[]): void {
  for (const line of lines) out(line);
}

async function* checks(
  { store, tenants }: ChosenStore,
  terminal: Terminal,
): AsyncGenerator<{
  readonly key: SessionKey;
  readonly check: Awaited<ReturnType<typeof verifySession>>;
}> {
  for await (const key of eachSession(store, tenants, terminal)) {
    yield { key, check: await verifySession(store, key) };
  }
}

function nameOf({ scope: { tenant }, agent, sessionId }: SessionKey): {
  readonly tenant: string;
  readonly agent: string;
  readonly sessionId: string;
} {
  return { tenant, agent, sessionId };
}

function lineOf({ tenant, agent, sessionId, snapshotId, row, problem }: FoundDamage): string {
  const snapshot = snapshotId === undefined ? "" : `, snapshot ${snapshotId}`;
  return `damaged: tenant ${tenant}, agent ${agent}, session ${sessionId}${snapshot}: row ${row} ${problem}`;
}
