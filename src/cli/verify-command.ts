import {
  type Damage,
  type SessionStore,
  type SurveyedSession,
  verifySession,
} from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { chooseStores } from "./chosen-stores.ts";
import type { Command, Terminal } from "./command.ts";
import { eachSession } from "./each-session.ts";
import { plural } from "./plural.ts";
import { readStoreArguments } from "./store-arguments.ts";

const HELP = `Usage: turnkeep verify <module> [options]
       turnkeep verify --store <url-or-path> [options]

Reads everything that is kept of every session and holds it against its hashes:
snapshots, the rows their content is folded from, and the logs of runs. Names
each damaged row with its session and snapshot, and goes on. Changes nothing,
and may run while the store is in use.

  <module>             a file that exports agents: their stores are verified
  --store PLACE        or one store: a SQLite file, the folder of a file store,
                       or a postgres:// or redis:// URL
  --schema NAME        its schema on Postgres (turnkeep)
  --prefix NAME        its prefix on Redis
  --tenant NAME        whose sessions; repeat it for several (everybody's)
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

/** Damage with the name of its session or, where nothing tells it any more, the place where that lies. */
interface FoundDamage extends Damage {
  readonly tenant?: string;
  readonly agent?: string;
  readonly sessionId?: string;
  readonly place?: string;
}

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const given = readStoreArguments(args, { unknown: ["all"] });
  const damages: FoundDamage[] = [];
  let sessions = 0;
  let snapshots = 0;
  for (const chosen of await chooseStores(given)) {
    for await (const { session, tell } of eachSession(chosen, terminal, "verifying")) {
      const check = await checkOf(chosen.store, session);
      sessions += 1;
      snapshots += check.snapshots;
      damages.push(...check.damages);
      if (!given.json) tell(check.damages.map(lineOf));
    }
    if (given.store !== undefined) await chosen.store.close();
  }
  if (given.json) terminal.out(JSON.stringify({ sessions, snapshots, damages }));
  else
    terminal.out(`${plural(sessions, "session")} with ${plural(snapshots, "snapshot")} verified`);
  if (damages.length === 0) return;
  throw new TurnkeepError(
    "DATA_LOSS",
    `${damages.length} damages found. Sessions go on from a sound snapshot, or come back from a backup; nothing was changed.`,
  );
}

async function checkOf(
  store: SessionStore,
  { key, place }: SurveyedSession,
): Promise<{ readonly snapshots: number; readonly damages: readonly FoundDamage[] }> {
  if (key === undefined) {
    const problem = "cannot be read, nor whose session it is";
    return { snapshots: 0, damages: [{ place, row: "record", problem }] };
  }
  const { snapshots, damages } = await verifySession(store, key);
  const { scope, agent, sessionId } = key;
  const name = { tenant: scope.tenant, agent, sessionId };
  return { snapshots, damages: damages.map((damage) => ({ ...name, ...damage })) };
}

function lineOf({
  tenant,
  agent,
  sessionId,
  place,
  snapshotId,
  row,
  problem,
}: FoundDamage): string {
  const session = place ?? `tenant ${tenant}, agent ${agent}, session ${sessionId}`;
  const snapshot = snapshotId === undefined ? "" : `, snapshot ${snapshotId}`;
  return `damaged: ${session}${snapshot}: row ${row} ${problem}`;
}
