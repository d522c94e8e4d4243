import {
  type HeadRecord,
  Ledger,
  type NumberedEvent,
  type SessionKey,
  type SessionStore,
  SessionTree,
  type Snapshot,
} from "../../../src/ledger/index.ts";
import { EDITED, MAX_ATTEMPTS, type Told } from "./session-model.ts";
import { readEvents } from "../read-events.ts";

/** What happened, as nobody was told it. */
interface Happened {
  readonly told: Told;
  /** Inputs taken in, and snapshots committed, since the session was last erased. */
  readonly inputs: ReadonlySet<string>;
  readonly committed: ReadonlyMap<string, Snapshot>;
  readonly keepLast: number | null;
}

/** What the store holds of the session in the end. */
interface Remains {
  readonly record: HeadRecord;
  readonly kept: ReadonlySet<string>;
  readonly events: ReadonlyMap<string, readonly NumberedEvent[]>;
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
  checkTurns(happened);
  checkAnswers(happened);
  for (const [runId, events] of remains.events) {
    checkLog(runId, events, happened);
    checkAttempts(events, told.handOvers.get(runId) ?? 0);
  }
  await checkHistory(remains, happened);
  checkRounds(happened);
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
  const runs = await store.range(key, { range: ["run/", "run/~"], limit: 1000, maxBytes: 1e7 });
  const events = new Map<string, readonly NumberedEvent[]>();
  for (const run of runs) {
    const runId = run.key.slice("run/".length);
    events.set(runId, await readEvents(ledger, { key, runId }));
  }
  return {
    record,
    kept: new Set((await tree.list(key)).map(({ snapshotId }) => snapshotId)),
    events,
    find: (snapshotId) => tree.find(key, snapshotId),
  };
}

function checkTurns({ inputs, committed }: Happened): void {
  const ended = new Set(
    [...committed.values()].flatMap(({ runId, turn, event }) =>
      runId === undefined || turn === undefined || event
        ? []
        : [`input/${runId}/${turn.toString(36).padStart(6, "0")}`],
    ),
  );
  for (const input of inputs)
    expect(ended.has(input), "I1: an accepted turn has no terminal snapshot");
  expect(ended.size === inputs.size, "I11: a turn of an erased session came back");
  const revs = [...committed.values()].map(({ rev }) => rev).toSorted((a, b) => a - b);
  expect(
    revs.every((rev, index) => rev === index + 1),
    "I3: revisions are not dense",
  );
}

function checkAnswers({ committed: snapshots, told }: Happened): void {
  for (const id of told.committed) {
    const status = snapshots.get(id)?.status;
    expect(
      status === undefined || status === "completed",
      "I2: a committed turn is stored otherwise",
    );
  }
  for (const id of told.aborted) {
    const status = snapshots.get(id)?.status;
    expect(status === undefined || status === "aborted", "I6: an aborted turn is stored otherwise");
  }
  for (const { target, status } of told.ended) {
    const stored = snapshots.get(target)?.status;
    expect(stored === undefined || stored === status, "I2: an answer changed afterwards");
  }
}

function checkLog(runId: string, events: readonly NumberedEvent[], { committed }: Happened): void {
  expect(
    events.every(({ seq }, index) => seq === index + 1),
    "I5: a gap in the events",
  );
  const log = events.map(({ event }) => event);
  expect(log.at(-1)?.type === "runEnd", "I5: the log does not end with runEnd");
  expect(log.filter(({ type }) => type === "runEnd").length === 1, "I5: more than one runEnd");
  for (const { snapshotId, status, ...snapshot } of committed.values()) {
    if (snapshot.runId !== runId || snapshot.event) continue;
    const ends = log.flatMap((event) =>
      event.type === "turnEnd" && event.snapshotId === snapshotId ? [event] : [],
    );
    expect(ends.length === 1, "I5: a turn has not exactly one turnEnd");
    expect(ends[0]?.status === status, "I2: turnEnd and snapshot differ");
  }
  let epoch = 0;
  for (const event of log) {
    if (!("epoch" in event)) continue;
    expect(Number(event["epoch"]) >= epoch, "I4: an event of an earlier epoch appeared");
    epoch = Number(event["epoch"]);
  }
}

function checkAttempts(events: readonly NumberedEvent[], handOvers: number): void {
  const attempts = events.flatMap(({ event }) =>
    event.type === "restarted" ? [event.attempt] : [],
  );
  const allowed = attempts.every((attempt) => attempt <= MAX_ATTEMPTS);
  expect(allowed && attempts.length < MAX_ATTEMPTS + handOvers, "I9: more attempts than allowed");
}

async function checkHistory(
  { record, kept, find }: Remains,
  { told, committed }: Happened,
): Promise<void> {
  const continuable = [...committed.values()]
    .filter(({ status }) => status === "completed")
    .toSorted((a, b) => a.rev - b.rev);
  const newest = continuable.findLast(({ event }) => event === undefined)?.snapshotId;
  expect((newest ?? null) === record.head, "I3: the head is not the newest snapshot");
  const texts = textsOf(continuable, told);
  let previous: string | undefined;
  for (const { snapshotId, parentId, event } of continuable) {
    if (event) continue;
    const asked = told.branches.get(snapshotId);
    expect(parentId === (asked ?? previous), "I3: a fork that nobody asked for");
    previous = snapshotId;
  }
  for (const snapshotId of kept) {
    const { status, parentId } = committed.get(snapshotId) ?? {};
    const said = texts.get(status === "completed" ? snapshotId : parentId) ?? [];
    const loaded = await find(snapshotId);
    const same =
      JSON.stringify(loaded?.content.messages.all().map(textOf)) === JSON.stringify(said);
    expect(same, "I3: a turn's contribution is lost or doubled");
  }
}

/** What each snapshot holds, by what the actors put into it. */
function textsOf(
  snapshots: readonly Snapshot[],
  told: Told,
): ReadonlyMap<string | undefined, readonly string[]> {
  const texts = new Map<string | undefined, readonly string[]>();
  for (const { snapshotId, parentId } of snapshots) {
    const added = told.edits.has(snapshotId) ? EDITED : snapshotId;
    const own = [...(told.before.get(snapshotId) ?? []), added];
    texts.set(snapshotId, [...(texts.get(parentId) ?? []), ...own]);
  }
  return texts;
}

function checkRounds({ committed }: Happened): void {
  const all = [...committed.values()];
  for (const { snapshotId, runId, turn, rev, parentId, event } of all) {
    if (event === undefined) continue;
    const end = all.find((one) => one.runId === runId && one.turn === turn && !one.event);
    expect(end !== undefined && end.rev > rev, "I22: a snapshot was saved in a turn that is over");
    const before = committed.get(parentId ?? "");
    const isBehindOwn = before?.event !== undefined && before.runId === runId;
    expect(
      isBehindOwn || parentId === end?.parentId,
      "I22: a snapshot of a turn has another parent",
    );
    const isNamed = end?.status !== "completed" || end.rounds?.includes(snapshotId);
    expect(isNamed === true, "I22: a turn's end does not name what the turn saved");
  }
}

function checkKept({ record, kept }: Remains, { committed, keepLast }: Happened): void {
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
    [...committed.values()].some(
      ({ parentId, status }) => parentId === id && status !== "completed",
    );
  const others = [...kept].filter((id) => !toKeep.has(id) && !isShown(id));
  expect(others.length <= 1, "I21: more snapshots than the last ones are kept");
}

function continuing(snapshots: readonly Snapshot[], id: string): number {
  const isChild = ({ parentId, status, event }: Snapshot): boolean =>
    parentId === id && status === "completed" && event === undefined;
  return snapshots.filter(isChild).length;
}

function textOf({ content }: { readonly content: readonly object[] }): unknown {
  const [part] = content;
  return part && "text" in part ? part.text : undefined;
}

function expect(holds: boolean, invariant: string): void {
  if (!holds) throw new Error(invariant);
}
