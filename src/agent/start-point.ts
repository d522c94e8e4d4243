import { EMPTY_CONTENT, type LoadedSnapshot } from "../ledger/index.ts";
import { getContinuable } from "./get-continuable.ts";
import { toPublicId } from "./public-id.ts";
import type { StartPoint } from "./run-keeper.ts";
import type { StoredRunOptions } from "./stored-run-options.ts";

/** What the first turn of a run will start from, as far as is known before it begins. */
export async function startPoint(options: StoredRunOptions): Promise<StartPoint> {
  const loaded = await loadStart(options);
  if (loaded === undefined) return { content: EMPTY_CONTENT };
  const { sessionId } = options.key;
  const snapshotId = toPublicId({ sessionId, id: loaded.snapshot.snapshotId });
  return { content: loaded.content, snapshotId };
}

async function loadStart(options: StoredRunOptions): Promise<LoadedSnapshot | undefined> {
  const { ledger, key, open, adopted, first } = options;
  const opening = open();
  if (opening) await opening;
  if (adopted) return (await ledger.work(key, adopted)).start;
  if (first?.parentId !== undefined) return await getContinuable(ledger, key, first.parentId);
  return await ledger.snapshots.findHead(key);
}
