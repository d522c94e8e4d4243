import type { Ledger, LoadedSnapshot, SessionKey, SnapshotEnd } from "../ledger/index.ts";
import { isContinuable } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { toPublicId } from "./public-id.ts";

/** @throws TurnkeepError NOT_FOUND when there is no such snapshot, INVALID_ARGUMENT when nobody may go on from it. */
export async function getContinuable(
  ledger: Ledger,
  key: SessionKey,
  snapshotId: string,
): Promise<LoadedSnapshot> {
  const name = toPublicId({ sessionId: key.sessionId, id: snapshotId });
  const loaded = await ledger.snapshots.find(key, snapshotId);
  if (loaded && isContinuable(loaded.snapshot)) return loaded;
  if (loaded) throw notContinuable(name, loaded.snapshot.status);
  const { record } = await ledger.store.load(key);
  const turns = record === null ? [] : [record.active, ...record.queue];
  if (turns.some((turn) => turn?.snapshotId === snapshotId)) throw notContinuable(name, "pending");
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

function notContinuable(name: string, status: SnapshotEnd | "pending"): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    `Snapshot ${name} is not resumable (status: ${status}). Only 'completed' snapshots can be resumed.`,
    { reason: "NOT_CONTINUABLE", details: { snapshotId: name, status } },
  );
}
