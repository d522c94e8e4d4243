import type { AnyLocalAgent } from "../agent/index.ts";
import type { SurveyedSession } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { chooseStores, type ChosenStore } from "./chosen-stores.ts";
import type { Command, Terminal } from "./command.ts";
import { eachSession } from "./each-session.ts";
import { plural } from "./plural.ts";
import { readStoreArguments } from "./store-arguments.ts";

const HELP = `Usage: turnkeep doctor <module> [options]

Opens every stored session as the agents of a module would, before you deploy
them: is it readable, does its state have a version that this build knows, can
it be migrated, does it fit the schema? Names each session that would fail, with
the reason. Changes nothing, and works on no turn.

  <module>             a file that exports agents, each with its store
  --tenant NAME        whose sessions; repeat it for several (everybody's)
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

/** A snapshot that would fail, or a session of which nothing can be read. */
interface Failure {
  readonly tenant?: string;
  readonly agent?: string;
  readonly sessionId?: string;
  readonly snapshotId?: string;
  /** Where a session lies whose name cannot be read. */
  readonly place?: string;
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
    `${plural(found.failures.length, "snapshot")} would fail with this build. Nothing was changed.`,
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
  for (const chosen of stores) {
    const byName = new Map(chosen.agents.map((agent) => [agent.name, agent]));
    for await (const { session } of eachSession(chosen, terminal, "opening")) {
      const agent = byName.get(session.key?.agent ?? "");
      if (session.key !== undefined && agent === undefined) {
        strangers[session.key.agent] = (strangers[session.key.agent] ?? 0) + 1;
        continue;
      }
      const examined = await examine(agent, session, options);
      sessions += 1;
      snapshots += examined.snapshots;
      older += examined.older;
      failures.push(...examined.failures);
    }
  }
  return { sessions, snapshots, older, failures, strangers };
}

type Examined = Pick<Diagnosis, "snapshots" | "older" | "failures">;

async function examine(
  agent: AnyLocalAgent | undefined,
  { key, place }: SurveyedSession,
  { all = false }: { readonly all?: boolean },
): Promise<Examined> {
  if (agent === undefined || key === undefined) return unreadable({ ...(place && { place }) });
  const { sessionId, scope } = key;
  const name = { tenant: scope.tenant, agent: agent.name, sessionId };
  try {
    const { troubles, ...rest } = await agent.examineSession(sessionId, {
      tenant: scope.tenant,
      all,
    });
    const failures = troubles.map(({ snapshotId, error }) => ({
      ...name,
      snapshotId,
      reason: error.reason ?? error.status,
      message: error.message,
      ...(error.cause instanceof Error && { cause: error.cause.message }),
    }));
    return { ...rest, failures };
  } catch (error) {
    // A store that is away says nothing about what it keeps.
    if (TurnkeepError.is(error) && error.status === "UNAVAILABLE") throw error;
    return unreadable(name);
  }
}

function unreadable(name: Partial<Failure>): Examined {
  const message = "The record of the session cannot be read from the store.";
  return { snapshots: 0, older: 0, failures: [{ ...name, reason: "DATA_LOSS", message }] };
}

function linesOf({ sessions, older, failures, strangers }: Diagnosis): readonly string[] {
  return [
    ...failures.map(lineOf),
    ...Object.entries(strangers).map(
      ([agent, count]) =>
        `not opened: ${plural(count, "session")} of agent ${agent}, which the module does not have`,
    ),
    `${plural(sessions, "session")} opened, ${plural(older, "snapshot")} with an older state, ${plural(failures.length, "failure")}`,
  ];
}

function lineOf({ place, snapshotId, reason, message, cause, ...name }: Failure): string {
  const session = place ?? `tenant ${name.tenant}, agent ${name.agent}, session ${name.sessionId}`;
  const snapshot = snapshotId === undefined ? "" : `, snapshot ${snapshotId}`;
  const why = cause === undefined ? "" : ` (${cause})`;
  return `fails: ${session}${snapshot}: ${reason}. ${message}${why}`;
}
