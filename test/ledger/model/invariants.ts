import {
  Ledger,
  type NumberedEvent,
  type SessionKey,
  type SessionStore,
  SessionTree,
  type Snapshot,
  type UnsavedTurn,
} from "../../../src/ledger/index.ts";
import { EDITED, MAX_ATTEMPTS, type Told } from "./session-model.ts";
import { readEvents } from "../read-events.ts";

/** Everything the store holds of the session in the end. */
interface Remains {
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** Turns that left no snapshot. */
  readonly unsaved: ReadonlyMap<string, UnsavedTurn>;
  readonly turns: readonly {
    readonly runId: string;
    readonly turn: number;
    readonly snapshotId: string;
  }[];
  readonly events: ReadonlyMap<string, readonly NumberedEvent[]>;
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
  await checkHistory(remains, told);
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
  const runs = await store.range(key, { range: ["run/", "run/~"], limit: 1000, maxBytes: 1e7 });
  const events = new Map<string, readonly NumberedEvent[]>();
  for (const run of runs) {
    const runId = run.key.slice("run/".length);
    events.set(runId, await readEvents(ledger, { key, runId }));
  }
  return {
    snapshots: new Map(snapshots.map((snapshot) => [snapshot.snapshotId, snapshot])),
    unsaved: new Map(unsaved.map((turn) => [turn.snapshotId, turn])),
    turns: [...snapshots, ...unsaved].flatMap(({ runId, turn, snapshotId }) =>
      runId === undefined || turn === undefined ? [] : [{ runId, turn, snapshotId }],
    ),
    events,
    find: (snapshotId) => tree.find(key, snapshotId),
    head,
  };
}

function checkTurns({ snapshots, turns }: Remains, inputs: ReadonlySet<string>): void {
  const ended = new Set(
    turns.map(({ runId, turn }) => `input/${runId}/${turn.toString(36).padStart(6, "0")}`),
  );
  for (const input of inputs) expect(ended.has(input), "I1: an accepted turn has no end");
  expect(ended.size === inputs.size, "I11: a turn of an erased session came back");
  expect(turns.length === ended.size, "I2: a turn ended twice");
  const revs = [...snapshots.values()].map(({ rev }) => rev).toSorted((a, b) => a - b);
  expect(
    revs.every((rev, index) => rev === index + 1),
    "I3: revisions are not dense",
  );
}

function checkAnswers({ snapshots, unsaved }: Remains, told: Told): void {
  for (const id of told.committed) {
    const status = snapshots.get(id)?.status;
    expect(
      status === undefined || status === "completed",
      "I2: a committed turn is stored otherwise",
    );
    expect(!unsaved.has(id), "I2: a saved turn is stored as one that was not");
  }
  for (const id of told.unsaved)
    expect(!snapshots.has(id), "I2: a turn that was not saved has a snapshot");
  for (const id of told.aborted) {
    const status = snapshots.get(id)?.status;
    expect(status === undefined || status === "aborted", "I6: an aborted turn is stored otherwise");
  }
  for (const { target, status } of told.ended) {
    const stored = (snapshots.get(target) ?? unsaved.get(target))?.status;
    expect(stored === undefined || stored === status, "I2: an answer changed afterwards");
  }
}

function checkLog(
  runId: string,
  events: readonly NumberedEvent[],
  { turns, snapshots, unsaved }: Remains,
): void {
  expect(
    events.every(({ seq }, index) => seq === index + 1),
    "I5: a gap in the events",
  );
  const log = events.map(({ event }) => event);
  expect(log.at(-1)?.type === "runEnd", "I5: the log does not end with runEnd");
  expect(log.filter(({ type }) => type === "runEnd").length === 1, "I5: more than one runEnd");
  const own = turns.filter((turn) => turn.runId === runId);
  const ends = log.flatMap((event) => (event.type === "turnEnd" ? [event] : []));
  expect(ends.length === own.length, "I5: not as many turnEnds as turns");
  for (const { turn, snapshotId } of own) {
    const end = ends.find((event) => event.turn === turn);
    const stored = snapshots.get(snapshotId) ?? unsaved.get(snapshotId);
    expect(end !== undefined, "I5: a turn has no turnEnd");
    expect(end?.status === stored?.status, "I2: turnEnd and snapshot differ");
    const named = snapshots.has(snapshotId) ? snapshotId : undefined;
    expect(end?.snapshotId === named, "I2: turnEnd names another snapshot than the turn left");
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

async function checkHistory({ snapshots, find, head }: Remains, told: Told): Promise<void> {
  const continuable = [...snapshots.values()]
    .filter(({ status }) => status === "completed")
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
    const loaded = await find(snapshotId);
    const parent = parentId === undefined ? undefined : await find(parentId);
    const added = told.edits.has(snapshotId) ? EDITED : snapshotId;
    const texts = [...(parent?.content.messages ?? []), { content: [{ text: added }] }];
    const same =
      JSON.stringify(loaded?.content.messages.all().map(textOf)) ===
      JSON.stringify(texts.map(textOf));
    expect(same, "I3: a turn's contribution is lost or doubled");
  }
}

function textOf({ content }: { readonly content: readonly object[] }): unknown {
  const [part] = content;
  return part && "text" in part ? part.text : undefined;
}

function expect(holds: boolean, invariant: string): void {
  if (!holds) throw new Error(invariant);
}
