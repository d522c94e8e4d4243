import { TurnkeepError } from "../protocol/index.ts";
import { freezeJson } from "./freeze-json.ts";
import type { Ports } from "./ports.ts";
import type { SessionKey } from "./scope.ts";
import type { SessionStore, View, Want } from "./session-store.ts";
import type { Decision, Step } from "./step.ts";
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
 * Reads, lets the step decide, and commits on top of what was read; when somebody else was faster, starts over.
 *
 * @throws TurnkeepError what the store rejects with, or ABORTED when it never stops conflicting.
 */
export async function runStep<Answer>(
  context: StepContext,
  key: SessionKey,
  step: Step<Answer>,
): Promise<Answer> {
  for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
    const view = await readFor(context.store, key, step.want);
    const decision = step.decide(view);
    if (await isSettled(context.store, key, { view, decision })) return decision.answer;
    await pause(context.ports, attempt);
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

// The rows a step wants may depend on the record, so the first read may show that a second one is needed.
async function readFor(
  store: SessionStore,
  key: SessionKey,
  want: Step<unknown>["want"],
): Promise<View> {
  let wanted = want(null);
  for (;;) {
    const view = await store.load(key, wanted);
    const needed = want(view.record);
    if (covers(wanted, needed)) return view;
    wanted = needed;
  }
}

function covers(wanted: Want, needed: Want): boolean {
  return includesAll(wanted.rows, needed.rows) && includesAll(wanted.tails, needed.tails);
}

function includesAll(list: readonly string[] = [], items: readonly string[] = []): boolean {
  const known = new Set(list);
  return items.every((item) => known.has(item));
}

async function isSettled(
  store: SessionStore,
  key: SessionKey,
  { view, decision }: { readonly view: View; readonly decision: Decision<unknown> },
): Promise<boolean> {
  if (decision.change === undefined) return true;
  try {
    const { record, put, drop } = decision.change;
    const change = { expect: view.version, record: freezeJson(record), put, drop };
    return (await store.commit(key, change)) === "ok";
  } catch (error) {
    if (!UnknownOutcomeError.is(error)) throw error;
    return await wasWritten(store, key, decision);
  }
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
  if (attempt <= TRIES_WITHOUT_PAUSE) return;
  await timers.sleep(random.next() * Math.min(LONGEST_PAUSE_MS, 2 ** attempt));
}
