import { EMPTY_CONTENT, type LoadedSnapshot } from "../ledger/index.ts";
import { getContinuable } from "./get-continuable.ts";
import { toPublicId } from "./public-id.ts";
import type { StartPoint } from "./run-keeper.ts";
import type { StoredRunOptions } from "./stored-run-options.ts";

/** What the first turn of a run will start from, as far as is known before it begins. */
export async function startPoint(options: StoredRunOptions): Promise<StartPoint> {
  const opening = options.open();
  if (opening) await opening;
  const loaded = await loadStart(options);
  if (loaded === undefined) return { content: EMPTY_CONTENT };
  const { sessionId } = options.key;
  const snapshotId = toPublicId({ sessionId, id: loaded.snapshot.snapshotId });
  return { content: loaded.content, snapshotId };
}

function loadStart({
  ledger,
  key,
  adopted,
  first,
}: StoredRunOptions): Promise<LoadedSnapshot | undefined> {
  if (adopted) return ledger.work(key, adopted).then(({ start }) => start);
  const parentId = first?.parentId;
  return parentId === undefined
    ? ledger.snapshots.findHead(key)
    : getContinuable(ledger, key, parentId);
}
