import type { Json, LocalAgent, SessionStore } from "../agent/index.ts";
import type { Clock } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { DyingStore, type Moment } from "./dying-store.ts";
import { fakeClock } from "./fake-clock.ts";

/** What a crash test does, over and over. */
export interface CrashScenario<Custom, Output, Status = Json> {
  /** A new, empty store on this clock, which passes over the leases of processes that died. */
  readonly store: (clock: Clock) => SessionStore | Promise<SessionStore>;
  /** What clients ask of the agent. After a crash they ask the same again, as whoever hears no answer does: give each request its `requestId`. */
  readonly run: (agent: LocalAgent<Custom, Output, Json, Status>) => Promise<unknown>;
  /** What was done outside since the last call, each with a name; forgets it. */
  readonly takeEffects: () => readonly string[];
}

/** What became of one crash. */
export interface CrashRound {
  /** At which write of the process, from 1, and whether that write still reached the store. */
  readonly write: number;
  readonly moment: Moment;
  /** Done less often than without a crash, and nobody was told. */
  readonly lost: readonly string[];
  /** Done more often than without a crash. */
  readonly doubled: readonly string[];
  /** Perhaps not done, which the turn says: it ended as interrupted with UNKNOWN_TOOL_OUTCOME. */
  readonly undecided: readonly string[];
}

/** What crashes did to a scenario, round by round. */
export interface CrashReport {
  /** What is done when nothing crashes. */
  readonly effects: readonly string[];
  readonly rounds: readonly CrashRound[];
  /** Whether no effect was lost or doubled in any round. */
  readonly isSound: boolean;
}

const AN_HOUR_MS = 3_600_000;
const MOST_WRITES = 1000;

/**
 * Runs the scenario with a process that dies at its first write to the store, then at its second, and so on, each time before and after the write. A new
 * process on the same store takes over what was left, then the clients ask again. Reports effects that were lost or doubled.
 *
 * The process that died is one whose calls no longer come back: what its tools do without asking the store goes on, as in one that was frozen.
 *
 * @throws TurnkeepError FAILED_PRECONDITION when the scenario does not end without a crash, or never ends by writing less often.
 */
export async function crashtest<Custom, Output, Status>(
  agent: LocalAgent<Custom, Output, Json, Status>,
  scenario: CrashScenario<Custom, Output, Status>,
): Promise<CrashReport> {
  scenario.takeEffects();
  await scenario.run(agent.withStore(await scenario.store(fakeClock())));
  const effects = scenario.takeEffects();
  const rounds: CrashRound[] = [];
  for (let write = 1; write <= MOST_WRITES; write += 1) {
    for (const moment of ["before", "after"] as const) {
      const round = await crash(agent, scenario, { write, moment, effects });
      if (round === undefined) return { effects, rounds, isSound: rounds.every(isSound) };
      rounds.push(round);
    }
  }
  throw new TurnkeepError(
    "FAILED_PRECONDITION",
    `The scenario writes more than ${MOST_WRITES} times. Make it shorter.`,
  );
}

/** One round; `undefined` when the scenario was over before it could crash. */
async function crash<Custom, Output, Status>(
  agent: LocalAgent<Custom, Output, Json, Status>,
  scenario: CrashScenario<Custom, Output, Status>,
  {
    write,
    moment,
    effects,
  }: { readonly write: number; readonly moment: Moment; readonly effects: readonly string[] },
): Promise<CrashRound | undefined> {
  const clock = fakeClock();
  const store = await scenario.store(clock);
  const dying = new DyingStore(store, { write, moment });
  await Promise.race([scenario.run(agent.withStore(dying)), dying.died]);
  if (!dying.isDead) return undefined;
  clock.advance(AN_HOUR_MS);
  const next = agent.withStore(store);
  await takeOver(next);
  await scenario.run(next);
  const seen = scenario.takeEffects();
  const missing = without(effects, seen);
  const isTold = missing.length > 0 && (await hasUndecided(next));
  return {
    write,
    moment,
    lost: isTold ? [] : missing,
    doubled: without(seen, effects),
    undecided: isTold ? missing : [],
  };
}

async function takeOver<Custom, Output, Status>(
  agent: LocalAgent<Custom, Output, Json, Status>,
): Promise<void> {
  const desk = await agent.takeWorkDesk();
  for (;;) {
    const due = await desk.findDue(100);
    const answers = await Promise.all(due.map((key) => desk.take(key)));
    const turns = answers.flatMap((answer) => (answer.kind === "taken" ? [answer.turn.done] : []));
    await Promise.all(turns);
    if (turns.length === 0) return;
  }
}

async function hasUndecided<Custom, Output, Status>(
  agent: LocalAgent<Custom, Output, Json, Status>,
): Promise<boolean> {
  const { sessions } = await agent.listSessions({ limit: 1000 });
  for (const { sessionId } of sessions) {
    for (const { error } of await agent.listSnapshots(sessionId)) {
      const details = error?.details as { readonly reason?: unknown } | undefined;
      if (details?.reason === "UNKNOWN_TOOL_OUTCOME") return true;
    }
  }
  return false;
}

function isSound({ lost, doubled }: CrashRound): boolean {
  return lost.length === 0 && doubled.length === 0;
}

/** What the first list has more of than the second. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const rest = [...other];
  return list.filter((name) => {
    const at = rest.indexOf(name);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
}
