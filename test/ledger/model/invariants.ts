import {
  type HeadRecord,
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

/** What happened, as nobody was told it. */
interface Happened {
  readonly told: Told;
  /** Inputs taken in, and snapshots committed, since the session was last erased. */
  readonly inputs: ReadonlySet<string>;
  readonly committed: ReadonlyMap<string, Snapshot>;
  /** Those that the last commit added which added any. */
  readonly lastAdded: readonly string[];
  readonly keepLast: number | null;
}

/** What the store holds of the session in the end. */
interface Remains {
  readonly record: HeadRecord;
  readonly kept: ReadonlySet<string>;
  /** Turns that left no snapshot. */
  readonly unsaved: ReadonlyMap<string, UnsavedTurn>;
  readonly events: ReadonlyMap<string, readonly NumberedEvent[]>;
  /** The keys of deltas. */
  readonly deltas: readonly string[];
  readonly find: (snapshotId: string) => ReturnType<SessionTree["find"]>;
}

/** Throws, naming the invariant of SPEC.md, when what the store holds is not what the actors were told. */
export async function checkInvariants(
  store: SessionStore,
  key: SessionKey,
  happened: Happened,
): Promise<void> {
  const { told } = happened;
  const { record } = await store.load(key);
  if (record === null || record.deletedAt !== undefined) return await checkErased(store, key);
  expect(record.active === null && record.queue.length === 0, "I1: a turn never came to an end");
  expect(new Set(told.epochs).size === told.epochs.length, "I4: an epoch was granted twice");
  const remains = await readRemains(store, key, record);
  checkTurns(remains, happened);
  checkAnswers(remains, happened);
  for (const [runId, events] of remains.events) {
    checkLog({ runId, events }, remains, happened);
    checkAttempts(events, told.handOvers.get(runId) ?? 0);
  }
  // Where only the last snapshots are kept, the next one that looks at all of them drops these.
  if (happened.keepLast === null) checkDeltas(remains, happened);
  checkHistory(remains, happened);
  await checkContents(remains, happened);
  checkRounds(remains, happened);
  checkKept(remains, happened);
}

async function checkErased(store: SessionStore, key: SessionKey): Promise<void> {
  const rows = await store.range(key, { range: ["", "~"], limit: 10, maxBytes: 1e6 });
  expect(rows.length === 0, "I11: rows of an erased session are left");
}

async function readRemains(
  store: SessionStore,
  key: SessionKey,
  record: HeadRecord,
): Promise<Remains> {
  const ledger = new Ledger({ store });
  const tree = new SessionTree(ledger);
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
    record,
    kept: new Set((await tree.list(key)).map(({ snapshotId }) => snapshotId)),
    unsaved: new Map(unsaved.map((turn) => [turn.snapshotId, turn])),
    events,
    deltas: deltas.map((row) => row.key),
    find: (snapshotId) => tree.find(key, snapshotId),
  };
}

function checkTurns({ events }: Remains, { inputs, committed }: Happened): void {
  const ends = [...events].flatMap(([runId, log]) =>
    turnEndsOf(log).map(({ turn }) => `input/${runId}/${turn.toString(36).padStart(6, "0")}`),
  );
  const ended = new Set(ends);
  for (const input of inputs) expect(ended.has(input), "I1: an accepted input has no end");
  expect(ended.size === inputs.size, "I11: a turn of an erased session came back");
  expect(ends.length === ended.size, "I5: an input has more than one turnEnd");
  const revs = [...committed.values()].map(({ rev }) => rev).toSorted((a, b) => a - b);
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

function checkAnswers(
  { unsaved, events }: Remains,
  { committed: snapshots, told }: Happened,
): void {
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
  { runId, events }: { readonly runId: string; readonly events: readonly NumberedEvent[] },
  { unsaved }: Remains,
  { committed }: Happened,
): void {
  expect(
    events.every(({ seq }, index) => seq === index + 1),
    "I5: a gap in the events",
  );
  const log = events.map(({ event }) => event);
  expect(log.at(-1)?.type === "runEnd", "I5: the log does not end with runEnd");
  expect(log.filter(({ type }) => type === "runEnd").length === 1, "I5: more than one runEnd");
  const ends = turnEndsOf(events);
  for (const { snapshotId, status, turn, event } of [...committed.values()].filter(isOf(runId))) {
    if (event) continue;
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
function checkDeltas({ deltas }: Remains, { committed }: Happened): void {
  const used = [...committed.values()].flatMap(({ chain }) => chain ?? []);
  const isUsed = (key: string): boolean => used.some(([from, to]) => key >= from && key <= to);
  expect(deltas.every(isUsed), "I13: a delta is left that no snapshot is folded from");
}

function checkHistory({ record }: Remains, { told, committed }: Happened): void {
  const continuable = [...committed.values()]
    .filter((snapshot) => isContinuable(snapshot) && snapshot.event === undefined)
    .toSorted((a, b) => a.rev - b.rev);
  const newest = continuable.at(-1)?.snapshotId;
  expect((newest ?? null) === record.head, "I3: the head is not the newest snapshot");
  let previous: string | undefined;
  for (const { snapshotId, parentId } of continuable) {
    const asked = told.branches.get(snapshotId);
    expect(parentId === (asked ?? previous), "I3: a fork that nobody asked for");
    previous = snapshotId;
  }
}

/** Every snapshot that is left holds what its parent held, and what its turn had come to. */
async function checkContents(remains: Remains, happened: Happened): Promise<void> {
  const texts = new Map<string | undefined, readonly string[]>();
  const inOrder = [...happened.committed.values()].toSorted((a, b) => a.rev - b.rev);
  for (const snapshot of inOrder) {
    const before = texts.get(startOf(snapshot, happened)) ?? [];
    texts.set(snapshot.snapshotId, [...before, ...addedBy(snapshot, remains, happened)]);
  }
  for (const snapshotId of remains.kept) {
    const loaded = await remains.find(snapshotId);
    const stored = loaded?.content.messages.all().map(textOf);
    const isSame = JSON.stringify(stored) === JSON.stringify(texts.get(snapshotId));
    expect(isSame, "I3: a turn's contribution is lost or doubled");
  }
}

/** Where the snapshot's turn started: rounds of a turn follow each other. */
function startOf({ parentId, runId, event }: Snapshot, happened: Happened): string | undefined {
  const parent = parentId === undefined ? undefined : happened.committed.get(parentId);
  const isRoundBefore = event && parent?.event && parent.runId === runId;
  return isRoundBefore ? startOf(parent, happened) : parentId;
}

/** The inputs that were processed to their end in this snapshot's turn, and what was made of the one it is at. */
function addedBy(snapshot: Snapshot, remains: Remains, happened: Happened): readonly string[] {
  const { snapshotId, runId = "", status, event } = snapshot;
  const { told } = happened;
  if (told.edits.has(snapshotId)) return [EDITED];
  const turn = snapshot.turn ?? told.lastTurns.get(snapshotId);
  if (turn === undefined) return [`${runId}/end`];
  const before = processedBefore({ runId, turn }, remains, happened);
  if (event) return [...before, ...(told.rounds.get(snapshotId)?.said ?? [])];
  return status === "completed" ? [...before, ...saidFor(`${runId}/${turn}`, told)] : before;
}

// Those behind the end of the turn before it.
function processedBefore(
  { runId, turn }: { readonly runId: string; readonly turn: number },
  { unsaved, events }: Remains,
  { told, committed }: Happened,
): readonly string[] {
  const ended = [...committed.values()].filter((one) => one.event === undefined);
  const others = [...ended, ...unsaved.values()].filter(isOf(runId));
  const isOther = (number: number): boolean =>
    others.some((one) => (one.turn ?? told.lastTurns.get(one.snapshotId)) === number);
  const ends = turnEndsOf(events.get(runId) ?? []);
  const inputs: string[] = [];
  for (let number = turn - 1; number >= 0 && !isOther(number); number -= 1) {
    const isDone = ends.find((end) => end.turn === number)?.status === "completed";
    const name = `${runId}/${number}`;
    if (isDone && told.advanced.has(name)) inputs.unshift(...saidFor(name, told));
  }
  return inputs;
}

function saidFor(input: string, told: Told): readonly string[] {
  return [...(told.before.get(input) ?? []), input];
}

function checkRounds({ unsaved }: Remains, { committed, told }: Happened): void {
  for (const snapshot of committed.values()) {
    const round = told.rounds.get(snapshot.snapshotId);
    if (round === undefined) continue;
    const end = committed.get(round.endsIn);
    const turn = end ?? unsaved.get(round.endsIn);
    expect(turn !== undefined, "I22: a snapshot was saved in a turn that is over");
    const before = committed.get(snapshot.parentId ?? "");
    const isBehindOwn = before?.event !== undefined && before.runId === snapshot.runId;
    expect(
      isBehindOwn || snapshot.parentId === turn?.parentId,
      "I22: a snapshot of a turn has another parent",
    );
    if (end) checkRoundOf(end, snapshot);
  }
}

function checkRoundOf({ status, rev, rounds = [] }: Snapshot, round: Snapshot): void {
  expect(rev > round.rev, "I22: a snapshot was saved in a turn that is over");
  const isNamed = status !== "completed" || rounds.includes(round.snapshotId);
  expect(isNamed, "I22: a turn's end does not name what the turn saved");
}

function checkKept({ record, kept }: Remains, happened: Happened): void {
  const { committed, lastAdded, keepLast } = happened;
  const last = keepLast === null ? committed.size : keepLast;
  const recent = [...committed.values()].filter(({ rev }) => rev > record.rev - last);
  const named = [record.head, ...record.pins].filter((id) => id !== null);
  const left = [...committed.values()].filter(({ snapshotId }) => kept.has(snapshotId));
  const branchPoints = [...committed.keys()].filter((id) => continuing(left, id) > 1);
  const toKeep = new Set([
    ...named,
    ...branchPoints,
    ...recent.map(({ snapshotId }) => snapshotId),
  ]);
  for (const id of toKeep) expect(kept.has(id), "I21: a snapshot to keep is gone");
  // What an aborted turn shows stays too. What the last commit branched off from waits for the next one to look at it.
  const isShown = (id: string): boolean =>
    [...committed.values()].some(({ parentId, chain }) => parentId === id && chain === undefined);
  const isNew = (id: string): boolean => lastAdded.includes(id);
  const others = [...kept].filter((id) => !toKeep.has(id) && !isShown(id) && !isNew(id));
  expect(others.length <= 1, "I21: more snapshots than the last ones are kept");
}

function continuing(snapshots: readonly Snapshot[], id: string): number {
  const isChild = (snapshot: Snapshot): boolean =>
    snapshot.parentId === id && isContinuable(snapshot) && snapshot.event === undefined;
  return snapshots.filter(isChild).length;
}

function textOf({ content }: { readonly content: readonly object[] }): unknown {
  const [part] = content;
  return part && "text" in part ? part.text : undefined;
}

function expect(holds: boolean, invariant: string): void {
  if (!holds) throw new Error(invariant);
}
