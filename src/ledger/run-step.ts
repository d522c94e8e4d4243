import { TurnkeepError } from "../protocol/index.ts";
import { freezeRecord } from "./frozen-record.ts";
import type { Ports } from "./ports.ts";
import type { SessionKey } from "./scope.ts";
import type { Commit, SessionStore, View, Want } from "./session-store.ts";
import type { Change, Decision, Step } from "./step.ts";
import { UnknownOutcomeError } from "./unknown-outcome-error.ts";

export interface StepContext {
  readonly store: SessionStore;
  readonly ports: Pick<Ports, "random" | "timers">;
}

// A conflict means that somebody else got on; only a broken store could make one caller lose this often in a row.
const MOST_TRIES = 200;
const TRIES_WITHOUT_PAUSE = 4;
const LONGEST_PAUSE_MS = 50;

/**
 * Reads, lets the step decide, and commits on top of what was read; when somebody else was faster, starts over. A step that comes with what its caller saw
 * last is first tried on that.
 *
 * @throws TurnkeepError what the store rejects with, or ABORTED when it never stops conflicting.
 */
export async function runStep<Answer>(
  context: StepContext,
  key: SessionKey,
  step: Step<Answer>,
): Promise<Answer> {
  const { store } = context;
  let assumed = assume(store, step);
  for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
    const { view, decision } = assumed ?? (await readAndDecide(store, key, step));
    assumed = undefined;
    const { change } = decision;
    if (change === undefined) return decision.answer;
    try {
      const commit = commitOf(change, view);
      if ((await store.commit(key, commit)) === "ok") {
        step.seen?.note(view.version + 1, commit.record);
        return decision.answer;
      }
    } catch (error) {
      if (!UnknownOutcomeError.is(error)) throw error;
      if (await wasWritten(store, key, decision)) return decision.answer;
    }
    if (attempt > TRIES_WITHOUT_PAUSE) await pause(context.ports, attempt);
  }
  throw new TurnkeepError(
    "ABORTED",
    `The session changed ${MOST_TRIES} times while one step was tried.`,
    {
      reason: "STORE_BUSY",
      retryable: true,
    },
  );
}

interface Decided<Answer> {
  readonly view: View;
  readonly decision: Decision<Answer>;
}

async function readAndDecide<Answer>(
  store: SessionStore,
  key: SessionKey,
  step: Step<Answer>,
): Promise<Decided<Answer>> {
  let wanted = step.want(null);
  let view = await store.load(key, wanted);
  // The rows a step wants may depend on the record, so the first read may show that a second one is needed.
  for (
    let needed = step.want(view.record);
    !covers(wanted, needed);
    needed = step.want(view.record)
  ) {
    wanted = needed;
    view = await store.load(key, wanted);
  }
  return { view, decision: step.decide(view) };
}

// Rows that are wanted because of what the record says are there, and have to be read. What was seen may be old: a commit on top of it fails then, but to
// answer from it would be wrong.
function assume<Answer>(store: SessionStore, step: Step<Answer>): Decided<Answer> | undefined {
  const view = step.seen?.take(store);
  if (view === undefined) return undefined;
  if (view.record !== null && !covers(step.want(null), step.want(view.record))) return undefined;
  const decision = step.decide(view);
  return decision.change && { view, decision };
}

function covers(wanted: Want, needed: Want): boolean {
  return (
    includesAll(wanted.rows, needed.rows) &&
    includesAll(wanted.tails, needed.tails) &&
    (needed.ranges ?? []).every(([from, to]) =>
      wanted.ranges?.some((range) => range[0] === from && range[1] === to),
    )
  );
}

function includesAll(list: readonly string[] = [], items: readonly string[] = []): boolean {
  // Most steps want the same whatever the record says.
  if (items.every((item, index) => item === list[index])) return true;
  const known = new Set(list);
  return items.every((item) => known.has(item));
}

function commitOf({ record, put, drop }: Change, { version }: View): Commit {
  return { expect: version, record: record && freezeRecord(record), put, drop };
}

// Without a witness the step is taken again: it then finds its own work done, or does it.
async function wasWritten(
  store: SessionStore,
  key: SessionKey,
  { change, witnesses = [] }: Decision<unknown>,
): Promise<boolean> {
  if (witnesses.length === 0) return false;
  const { rows } = await store.load(key, { rows: witnesses });
  const own = new Map(change?.put?.map((row) => [row.key, row.value]));
  return witnesses.some(
    (witness) => rows.has(witness) && rows.get(witness) === (own.get(witness) ?? rows.get(witness)),
  );
}

async function pause({ random, timers }: StepContext["ports"], attempt: number): Promise<void> {
  await timers.sleep(random.next() * Math.min(LONGEST_PAUSE_MS, 2 ** attempt));
}
