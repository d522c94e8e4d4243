import type { SnapshotOrigin } from "./head-record.ts";
import { snapshotKey } from "./row-key.ts";
import { createSessionKey, type SessionKey } from "./scope.ts";
import type { SessionStore } from "./session-store.ts";
import type { Snapshot } from "./snapshot.ts";
import { findSnapshot } from "./snapshot-row.ts";

/** The snapshot that first asked what a turn answers. */
export interface Question {
  readonly key: SessionKey;
  readonly snapshotId: string;
  /** The snapshots from the one that the turn starts at up to that one: all of them ask the same. */
  readonly path: readonly SnapshotOrigin[];
}

/**
 * Finds where a question comes from: through snapshots that changed no message, such as those of failed turns, and through forks. `undefined` when
 * the snapshot is gone.
 */
export async function findQuestion(
  store: SessionStore,
  key: SessionKey,
  snapshotId: string,
): Promise<Question | undefined> {
  let found: Question | undefined;
  let asked: string | undefined;
  let next: { readonly key: SessionKey; readonly snapshotId: string } | undefined;
  next = { key, snapshotId };
  const path: SnapshotOrigin[] = [];
  while (next) {
    const snapshot = await readSnapshot(store, next.key, next.snapshotId);
    if (snapshot === undefined) break;
    const messages = snapshot.hash?.messages;
    if (messages !== undefined) asked ??= messages;
    // One without content of its own shows its parent's.
    if (messages !== undefined && messages !== asked) break;
    path.push({ sessionId: next.key.sessionId, snapshotId: next.snapshotId });
    found = { ...next, path };
    next = originOf(snapshot, next.key);
  }
  return found;
}

async function readSnapshot(
  store: SessionStore,
  key: SessionKey,
  snapshotId: string,
): Promise<Snapshot | undefined> {
  const { rows } = await store.load(key, { rows: [snapshotKey(snapshotId)] });
  return findSnapshot({ rows }, snapshotId);
}

function originOf(
  { parentId, forkedFrom }: Snapshot,
  key: SessionKey,
): { readonly key: SessionKey; readonly snapshotId: string } | undefined {
  if (parentId !== undefined) return { key, snapshotId: parentId };
  if (forkedFrom === undefined) return undefined;
  const { sessionId, snapshotId } = forkedFrom;
  return { key: createSessionKey(key.scope, key.agent, sessionId), snapshotId };
}
