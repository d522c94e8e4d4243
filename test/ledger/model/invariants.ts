import {
  isContinuable,
  Ledger,
  type NumberedEvent,
  type RunEvent,
  type SessionKey,
  type SessionStore,
  SessionTree,
  type Snapshot,
  type UnsavedTurn,
} from "../../../src/ledger/index.ts";
import { EDITED, MAX_ATTEMPTS, type Told } from "./session-model.ts";
import { readEvents } from "../read-events.ts";

type TurnEnd = Extract<RunEvent, { readonly type: "turnEnd" }>;

/** Everything the store holds of the session in the end. */
interface Remains {
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** Turns that left no snapshot. */
  readonly unsaved: ReadonlyMap<string, UnsavedTurn>;
  readonly events: ReadonlyMap<string, readonly NumberedEvent[]>;
  /** The keys of deltas. */
  readonly deltas: readonly string[];
  readonly find: (snapshotId: string) => ReturnType<SessionTree["find"]>;
  readonly head: string | null;
}

/** Throws, naming the invariant of SPEC.md, when what the store holds is not what the actors were told. */
export async function checkInvariants(
  store: SessionStore,
  key: SessionKey,
  { told, inputs }: { readonly told: Told; readonly inputs: ReadonlySet<string> },
): Promise<void> {
  const { record } = await store.load(key);
  if (record === null || record.deletedAt !== undefined) return await checkErased(store, key);
  expect(record.active === null && record.queue.length === 0, "I1: a turn never came to an end");
  expect(new Set(told.epochs).size === told.epochs.length, "I4: an epoch was granted twice");
  const remains = await readRemains(store, key, record.head);
  checkTurns(remains, inputs);
  checkAnswers(remains, told);
  for (const [runId, events] of remains.events) {
    checkLog(runId, events, remains);
    checkAttempts(events, told.handOvers.get(runId) ?? 0);
  }
  checkDeltas(remains);
  await checkHistory(remains, told);
  for (const snapshot of remains.snapshots.values()) await checkContent(snapshot, remains, told);
}

async function checkErased(store: SessionStore, key: SessionKey): Promise<void> {
  const rows = await store.range(key, { range: ["", "~"], limit: 10, maxBytes: 1e6 });
  expect(rows.length === 0, "I11: rows of an erased session are left");
}

async function readRemains(
  store: SessionStore,
  key: SessionKey,
  head: string | null,
): Promise<Remains> {
  const ledger = new Ledger({ store });
  const tree = new SessionTree(ledger);
  const snapshots = (await tree.list(key)) as readonly Snapshot[];
  const rows = await store.range(key, { range: ["turn/", "turn/~"], limit: 1000, maxBytes: 1e7 });
  const unsaved = rows.map((row) => ({
    ...(JSON.parse(row.value) as UnsavedTurn),
    snapshotId: row.key.slice("turn/".length),
  }));
  const deltas = await store.range(key, {
    range: ["delta/", "delta/~"],
    limit: 1000,
    maxBytes: 1e7,
  });
  const runs = await store.range(key, { range: ["run/", "run/~"], limit: 1000, maxBytes: 1e7 });
  const events = new Map<string, readonly NumberedEvent[]>();
  for (const run of runs) {
    const runId = run.key.slice("run/".length);
    events.set(runId, await readEvents(ledger, { key, runId }));
  }
  return {
    snapshots: new Map(snapshots.map((snapshot) => [snapshot.snapshotId, snapshot])),
    unsaved: new Map(unsaved.map((turn) => [turn.snapshotId, turn])),
    events,
    deltas: deltas.map((row) => row.key),
    find: (snapshotId) => tree.find(key, snapshotId),
    head,
  };
}

function checkTurns({ snapshots, events }: Remains, inputs: ReadonlySet<string>): void {
  const ends = [...events].flatMap(([runId, log]) =>
    turnEndsOf(log).map(({ turn }) => `input/${runId}/${turn.toString(36).padStart(6, "0")}`),
  );
  const ended = new Set(ends);
  for (const input of inputs) expect(ended.has(input), "I1: an accepted input has no end");
  expect(ended.size === inputs.size, "I11: a turn of an erased session came back");
  expect(ends.length === ended.size, "I5: an input has more than one turnEnd");
  const revs = [...snapshots.values()].map(({ rev }) => rev).toSorted((a, b) => a - b);
  expect(
    revs.every((rev, index) => rev === index + 1),
    "I3: revisions are not dense",
  );
}

function turnEndsOf(events: readonly NumberedEvent[]): readonly TurnEnd[] {
  return events.flatMap(({ event }) => (event.type === "turnEnd" ? [event] : []));
}

function runEndOf(events: readonly NumberedEvent[] | undefined): string | undefined {
  const last = events?.at(-1)?.event;
  return last?.type === "runEnd" ? last.status : undefined;
}

function checkAnswers({ snapshots, unsaved, events }: Remains, told: Told): void {
  const statusOf = (target: string): string | undefined =>
    (snapshots.get(target) ?? unsaved.get(target))?.status ?? runEndOf(events.get(target));
  for (const id of told.committed) {
    const status = snapshots.get(id)?.status;
    expect(
      status === undefined || status === "completed",
      "I2: a committed turn is stored otherwise",
    );
    expect(!unsaved.has(id), "I2: a saved turn is stored as one that was not");
  }
  for (const [id, runId] of told.unsaved) {
    expect(!snapshots.has(id), "I2: a turn that was not saved has a snapshot");
    expect(unsaved.has(id) || !events.has(runId), "I1: nothing tells how an unsaved turn ended");
  }
  for (const target of told.aborted) {
    const status = statusOf(target);
    expect(status === undefined || status === "aborted", "I6: an aborted turn is stored otherwise");
  }
  for (const { target, status } of told.ended) {
    const stored = statusOf(target);
    expect(stored === undefined || stored === status, "I2: an answer changed afterwards");
  }
}

function checkLog(
  runId: string,
  events: readonly NumberedEvent[],
  { snapshots, unsaved }: Remains,
): void {
  expect(
    events.every(({ seq }, index) => seq === index + 1),
    "I5: a gap in the events",
  );
  const log = events.map(({ event }) => event);
  expect(log.at(-1)?.type === "runEnd", "I5: the log does not end with runEnd");
  expect(log.filter(({ type }) => type === "runEnd").length === 1, "I5: more than one runEnd");
  const ends = turnEndsOf(events);
  for (const { snapshotId, status, turn } of [...snapshots.values()].filter(isOf(runId))) {
    if (turn === undefined) {
      expect(runEndOf(events) !== "aborted", "I6: an aborted run saved something as it ended");
      expect(
        !ends.some((end) => end.snapshotId === snapshotId),
        "I5: no turn ended, but a turnEnd",
      );
      continue;
    }
    const named = ends.filter((end) => end.snapshotId === snapshotId);
    expect(named.length === 1, "I2: not one turnEnd names a snapshot");
    expect(named[0]?.status === status, "I2: turnEnd and snapshot differ");
  }
  for (const { turn, status } of [...unsaved.values()].filter(isOf(runId))) {
    const end = ends.find((one) => one.turn === turn);
    expect(end?.status === status, "I2: turnEnd and the end of an unsaved turn differ");
    expect(end?.snapshotId === undefined, "I2: the turnEnd of an unsaved turn names a snapshot");
  }
  let epoch = 0;
  for (const event of log) {
    if (!("epoch" in event)) continue;
    expect(Number(event["epoch"]) >= epoch, "I4: an event of an earlier epoch appeared");
    epoch = Number(event["epoch"]);
  }
}

function checkAttempts(events: readonly NumberedEvent[], handOvers: number): void {
  const restarts = new Map<number, number>();
  for (const { event } of events) {
    if (event.type !== "restarted") continue;
    expect(event.attempt <= MAX_ATTEMPTS, "I9: more attempts than allowed");
    restarts.set(event.turn, (restarts.get(event.turn) ?? 0) + 1);
  }
  const isAllowed = [...restarts.values()].every((count) => count < MAX_ATTEMPTS + handOvers);
  expect(isAllowed, "I9: more take-overs than allowed");
}

function isOf(runId: string): (one: { readonly runId?: string | undefined }) => boolean {
  return (one) => one.runId === runId;
}

// What nothing is folded from would stay for ever.
function checkDeltas({ deltas, snapshots }: Remains): void {
  const used = [...snapshots.values()].flatMap(({ chain }) => chain ?? []);
  const isUsed = (key: string): boolean => used.some(([from, to]) => key >= from && key <= to);
  expect(deltas.every(isUsed), "I13: a delta is left that no snapshot is folded from");
}

async function checkHistory({ snapshots, head }: Remains, told: Told): Promise<void> {
  const continuable = [...snapshots.values()]
    .filter(isContinuable)
    .toSorted((a, b) => a.rev - b.rev);
  expect(
    (continuable.at(-1)?.snapshotId ?? null) === head,
    "I3: the head is not the newest snapshot",
  );
  let previous: string | undefined;
  for (const { snapshotId, parentId } of continuable) {
    const asked = told.branches.get(snapshotId);
    expect(parentId === (asked ?? previous), "I3: a fork that nobody asked for");
    previous = snapshotId;
  }
}

async function checkContent(snapshot: Snapshot, remains: Remains, told: Told): Promise<void> {
  const { snapshotId, parentId } = snapshot;
  const { find } = remains;
  const loaded = await find(snapshotId);
  const parent = parentId === undefined ? undefined : await find(parentId);
  const added = told.edits.has(snapshotId) ? [EDITED] : inputsIn(snapshot, remains, told);
  const texts = [...(parent?.content.messages.all().map(textOf) ?? []), ...added];
  const stored = loaded?.content.messages.all().map(textOf);
  const isSame = JSON.stringify(stored) === JSON.stringify(texts);
  expect(isSame, "I3: a turn's contribution is lost or doubled");
}

// The inputs that were processed to their end in this snapshot's turn: those behind the end of the turn before it.
function inputsIn(
  { snapshotId, runId = "", status, ...snapshot }: Snapshot,
  { snapshots, unsaved, events }: Remains,
  told: Told,
): readonly string[] {
  const turn = snapshot.turn ?? told.lastTurns.get(snapshotId);
  if (turn === undefined) return [`${runId}/end`];
  const others = [...snapshots.values(), ...unsaved.values()].filter(isOf(runId));
  const isOther = (number: number): boolean =>
    others.some((one) => (one.turn ?? told.lastTurns.get(one.snapshotId)) === number);
  const ends = turnEndsOf(events.get(runId) ?? []);
  const inputs: string[] = status === "completed" ? [`${runId}/${turn}`] : [];
  for (let number = turn - 1; number >= 0 && !isOther(number); number -= 1) {
    const isDone = ends.find((end) => end.turn === number)?.status === "completed";
    const name = `${runId}/${number}`;
    if (isDone && told.advanced.has(name)) inputs.unshift(name);
  }
  return inputs;
}

function textOf({ content }: { readonly content: readonly object[] }): unknown {
  const [part] = content;
  return part && "text" in part ? part.text : undefined;
}

function expect(holds: boolean, invariant: string): void {
  if (!holds) throw new Error(invariant);
}
