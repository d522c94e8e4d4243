import type { HeadRecord, QueuedTurn } from "./head-record.ts";
import { afterKey, underPrefix } from "./row-key.ts";
import type { SessionKey } from "./scope.ts";
import type { SessionStore } from "./session-store.ts";
import type { Snapshot } from "./snapshot.ts";
import { snapshotOfRow } from "./snapshot-row.ts";

/** A turn that runs or waits, seen as the snapshot it will end in. */
export interface PendingSnapshot {
  readonly snapshotId: string;
  readonly parentId?: string;
  readonly runId: string;
  readonly turn: number;
  readonly status: "pending";
  readonly createdAt: number;
  /** When its worker is given up unless it shows itself; absent while the turn waits. */
  readonly leaseUntil?: number;
}

const PAGE_ROWS = 500;
const PAGE_BYTES = 1024 * 1024;

/** All snapshots of a session in the order they were committed. Reads no content. */
export async function listSnapshots(
  store: SessionStore,
  key: SessionKey,
): Promise<readonly Snapshot[]> {
  const snapshots: Snapshot[] = [];
  for await (const row of readRows(store, key, "snapshot/")) {
    snapshots.push(snapshotOfRow(row));
  }
  return snapshots.toSorted((left, right) => left.rev - right.rev);
}

/** Every row under the prefix, page by page, in key order. */
export async function* readRows(
  store: SessionStore,
  key: SessionKey,
  prefix: string,
): AsyncGenerator<{ readonly key: string; readonly value: string }> {
  let [from, to] = underPrefix(prefix);
  for (;;) {
    const page = await store.range(key, {
      range: [from, to],
      limit: PAGE_ROWS,
      maxBytes: PAGE_BYTES,
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    from = afterKey(last.key);
  }
}

export function pendingSnapshots(record: HeadRecord): readonly PendingSnapshot[] {
  const { active, queue } = record;
  const running =
    active === null || active.stopping
      ? []
      : [{ ...pending(active), leaseUntil: active.leaseUntil }];
  return [...running, ...queue.map(pending)];
}

function pending({ snapshotId, parentId, runId, turn, since }: QueuedTurn): PendingSnapshot {
  return {
    snapshotId,
    ...(parentId !== undefined && { parentId }),
    runId,
    turn,
    status: "pending",
    createdAt: since,
  };
}
