import type { AnyLocalAgent } from "../agent/index.ts";
import type { SessionKey } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { chooseStores, type ChosenStore } from "./chosen-stores.ts";
import type { Command, Terminal } from "./command.ts";
import { eachSession } from "./each-session.ts";
import { readStoreArguments } from "./store-arguments.ts";

const HELP = `Usage: turnkeep doctor <module> [options]

Opens every stored session as the agents of a module would, before you deploy
them: is it readable, does its state have a version that this build knows, can
it be migrated, does it fit the schema? Names each session that would fail, with
the reason. Changes nothing, and works on no turn.

  <module>             a file that exports agents, each with its store
  --tenant NAME        whose sessions; repeat it for several (the agents' own
                       tenants)
  --all                every snapshot that can be continued, not only those
                       that sessions go on from
  --json               the result as one line of JSON
  --help               this text

Exit codes: 0 all sessions open, 1 some would fail or the store could not be
read, 2 called wrongly.

Example:
  turnkeep doctor ./agents.js --tenant acme --tenant globex`;

export const doctorCommand: Command = {
  name: "doctor",
  summary: "open every stored session with this build, before it is deployed",
  help: HELP,
  run,
};

/** A session that would fail, or one that nobody here could open. */
interface Failure {
  readonly tenant: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly snapshotId: string;
  readonly reason: string;
  readonly message: string;
  readonly cause?: string;
}

/** What the sessions of some agents came to. */
export interface Diagnosis {
  readonly sessions: number;
  readonly snapshots: number;
  /** Snapshots with a state of an older version than the build's. */
  readonly older: number;
  readonly failures: readonly Failure[];
  /** Sessions in the stores of agents that the module does not have, by their names. */
  readonly strangers: Readonly<Record<string, number>>;
}

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const given = readStoreArguments(args, { unknown: ["store", "schema", "prefix"] });
  const found = await diagnose(await chooseStores(given), given, terminal);
  if (given.json) terminal.out(JSON.stringify(found));
  else for (const line of linesOf(found)) terminal.out(line);
  if (found.failures.length === 0) return;
  throw new TurnkeepError(
    "FAILED_PRECONDITION",
    `${found.failures.length} snapshots would fail with this build. Nothing was changed.`,
  );
}

/** Opens every session of the stores with the agents that are here. */
export async function diagnose(
  stores: readonly ChosenStore[],
  options: { readonly all?: boolean },
  terminal: Terminal,
): Promise<Diagnosis> {
  const failures: Failure[] = [];
  const strangers: Record<string, number> = {};
  let [sessions, snapshots, older] = [0, 0, 0];
  for (const { store, tenants, agents } of stores) {
    const byName = new Map(agents.map((agent) => [agent.name, agent]));
    for await (const key of eachSession(store, tenants, terminal)) {
      const agent = byName.get(key.agent);
      if (agent === undefined) {
        strangers[key.agent] = (strangers[key.agent] ?? 0) + 1;
        continue;
      }
      const examined = await examine(agent, key, options);
      sessions += 1;
      snapshots += examined.snapshots;
      older += examined.older;
      failures.push(...examined.failures);
    }
  }
  return { sessions, snapshots, older, failures, strangers };
}

async function examine(
  agent: AnyLocalAgent,
  { scope: { tenant }, sessionId }: SessionKey,
  { all = false }: { readonly all?: boolean },
): Promise<{
  readonly snapshots: number;
  readonly older: number;
  readonly failures: readonly Failure[];
}> {
  const { troubles, ...rest } = await agent.examineSession(sessionId, { tenant, all });
  const failures = troubles.map(({ snapshotId, error }) => ({
    tenant,
    agent: agent.name,
    sessionId,
    snapshotId,
    reason: error.reason ?? error.status,
    message: error.message,
    ...(error.cause instanceof Error && { cause: error.cause.message }),
  }));
  return { ...rest, failures };
}

function linesOf({ sessions, older, failures, strangers }: Diagnosis): readonly string[] {
  return [
    ...failures.map(
      ({ tenant, agent, sessionId, snapshotId, reason, message, cause }) =>
        `fails: tenant ${tenant}, agent ${agent}, session ${sessionId}, snapshot ${snapshotId}: ${reason}. ${message}${cause === undefined ? "" : ` (${cause})`}`,
    ),
    ...Object.entries(strangers).map(
      ([agent, count]) =>
        `not opened: ${count} sessions of agent ${agent}, which the module does not have`,
    ),
    `${sessions} sessions opened, ${older} snapshots with an older state, ${failures.length} failures`,
  ];
}
