import type { ActiveTurn, HeadRecord, QueuedTurn } from "./head-record.ts";
import { listSnapshots, readRows } from "./list-snapshots.ts";
import { endKey, runKey } from "./row-key.ts";
import type { EndReason, RunEnd } from "./run-event.ts";
import type { SessionKey } from "./scope.ts";
import type { SessionStore } from "./session-store.ts";
import type { Snapshot, SnapshotEnd } from "./snapshot.ts";

/** `open`: it has not ended, and none of its turns runs or waits. */
export type RunPhase = "running" | "queued" | "open" | SnapshotEnd;

/** A run as far as its session remembers it. Its own rows are swept after a while; its snapshots stay. */
export interface RunSummary {
  readonly runId: string;
  readonly phase: RunPhase;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Why it ended otherwise than by its own doing. */
  readonly reason?: EndReason;
  /** Those it wrote, in order, and those it will write. */
  readonly snapshotIds: readonly string[];
  /** Its events are still there to be read. */
  readonly isReadable: boolean;
  readonly isDetached: boolean;
  /** While it runs: when its worker is given up unless it shows itself, and how often it was begun. */
  readonly leaseUntil?: number;
  readonly attempt?: number;
  /** And the snapshot that its turn started from; absent for the first of a session. */
  readonly parentId?: string;
}

/** The runs of a session, first started first. Reads no content. */
export async function listRuns(
  store: SessionStore,
  key: SessionKey,
): Promise<readonly RunSummary[]> {
  const { record } = await store.load(key);
  if (record === null) return [];
  const started = await rowsByRun<{ readonly at: number }>({ store, key }, runKey(""));
  const ended = await rowsByRun<RunEnd>({ store, key }, endKey(""));
  const written = byRun(await listSnapshots(store, key));
  const open = byRun(openTurnsOf(record));
  const ids = new Set([...started.keys(), ...written.keys(), ...open.keys()]);
  return [...ids]
    .map((runId) =>
      summaryOf({
        runId,
        start: started.get(runId),
        end: ended.get(runId),
        snapshots: written.get(runId) ?? [],
        turns: open.get(runId) ?? [],
      }),
    )
    .toSorted(
      (left, right) => left.startedAt - right.startedAt || (left.runId < right.runId ? -1 : 1),
    );
}

interface RunParts {
  readonly runId: string;
  readonly start: { readonly at: number } | undefined;
  readonly end: RunEnd | undefined;
  readonly snapshots: readonly Snapshot[];
  readonly turns: readonly (QueuedTurn | ActiveTurn)[];
}

function summaryOf(parts: RunParts): RunSummary {
  const { runId, start, end, snapshots, turns } = parts;
  const active = turns.find((turn) => "leaseUntil" in turn);
  const endedAt = endOf(parts);
  return {
    runId,
    phase: phaseOf(parts),
    startedAt: start?.at ?? snapshots[0]?.createdAt ?? turns[0]?.since ?? 0,
    ...(endedAt !== undefined && { endedAt }),
    ...(end?.reason !== undefined && { reason: end.reason }),
    snapshotIds: [...snapshots, ...turns].map(({ snapshotId }) => snapshotId),
    isReadable: start !== undefined,
    isDetached: turns.some(({ detached }) => detached === true),
    ...(active && whileRunning(active)),
  };
}

function whileRunning(turn: ActiveTurn): Partial<RunSummary> {
  const { leaseUntil, attempt, parentId } = turn;
  return { leaseUntil, attempt, ...(parentId !== undefined && { parentId }) };
}

// Of a run whose own rows were swept, its last snapshot knows.
function endOf({ start, end, snapshots }: RunParts): number | undefined {
  return end?.at ?? (start === undefined ? snapshots.at(-1)?.updatedAt : undefined);
}

function phaseOf({ start, end, snapshots, turns }: RunParts): RunPhase {
  if (turns.some((turn) => "leaseUntil" in turn)) return "running";
  if (turns.length > 0) return "queued";
  if (end) return end.status;
  return start === undefined ? (snapshots.at(-1)?.status ?? "completed") : "open";
}

// A turn that was stopped is over, though its worker still holds the slot.
function openTurnsOf({ active, queue }: HeadRecord): readonly (QueuedTurn | ActiveTurn)[] {
  return [...(active === null || active.stopping ? [] : [active]), ...queue];
}

// What no run made is left out.
function byRun<Item extends { readonly runId?: string | undefined }>(
  items: readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    if (item.runId === undefined) continue;
    const group = groups.get(item.runId) ?? [];
    group.push(item);
    groups.set(item.runId, group);
  }
  return groups;
}

async function rowsByRun<Value>(
  { store, key }: { readonly store: SessionStore; readonly key: SessionKey },
  prefix: string,
): Promise<ReadonlyMap<string, Value>> {
  const found = new Map<string, Value>();
  for await (const row of readRows(store, key, prefix)) {
    found.set(row.key.slice(prefix.length), JSON.parse(row.value) as Value);
  }
  return found;
}
