import type { Ledger, LoadedSnapshot, SessionKey, SnapshotEnd } from "../ledger/index.ts";
import { isContinuable } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { toPublicId } from "./public-id.ts";

/** Which snapshots a turn may start from. */
export const RESUMABLE = "Completed and failed snapshots can be resumed.";

/** @throws TurnkeepError NOT_FOUND when there is no such snapshot, INVALID_ARGUMENT when nobody may go on from it. */
export async function getContinuable(
  ledger: Ledger,
  key: SessionKey,
  snapshotId: string,
): Promise<LoadedSnapshot> {
  const { sessionId } = key;
  const name = toPublicId({ sessionId, id: snapshotId });
  const loaded = await ledger.snapshots.find(key, snapshotId);
  if (loaded && isContinuable(loaded.snapshot)) return loaded;
  if (loaded) {
    const { status, parentId } = loaded.snapshot;
    const parent = parentId === undefined ? "" : ` ${toPublicId({ sessionId, id: parentId })}`;
    throw notContinuable(name, status, `Resume its parent${parent} instead.`);
  }
  const { record } = await ledger.store.load(key);
  const turns = record === null ? [] : [record.active, ...record.queue];
  if (turns.some((turn) => turn?.snapshotId === snapshotId)) {
    throw notContinuable(name, "pending", "Wait for its turn to end.");
  }
  if (await ledger.findUnsaved(key, snapshotId)) throw notSaved(name);
  throw new TurnkeepError("NOT_FOUND", `Snapshot ${name} not found`, {
    details: { snapshotId: name },
  });
}

function notSaved(name: string): TurnkeepError {
  return new TurnkeepError(
    "NOT_FOUND",
    `Snapshot ${name} was not saved: the agent's snapshotWhen did not ask for it. Resume the session, or an earlier snapshot.`,
    { reason: "NOT_CONTINUABLE", details: { snapshotId: name } },
  );
}

function notContinuable(
  name: string,
  status: SnapshotEnd | "pending",
  advice: string,
): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    `Snapshot ${name} is not resumable (status: ${status}). ${RESUMABLE} ${advice}`,
    { reason: "NOT_CONTINUABLE", details: { snapshotId: name, status } },
  );
}
