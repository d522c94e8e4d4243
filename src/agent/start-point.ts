import { EMPTY_CONTENT, type LoadedSnapshot, type SeenSession } from "../ledger/index.ts";
import { getContinuable } from "./get-continuable.ts";
import { toPublicId } from "./public-id.ts";
import type { StartPoint } from "./run-keeper.ts";
import type { StoredRunOptions } from "./stored-run-options.ts";

const NOTHING_YET: StartPoint = { content: EMPTY_CONTENT };

/** What the first turn of a run will start from, as far as is known before it begins. */
export function startPoint(options: StoredRunOptions, seen: SeenSession): Promise<StartPoint> {
  const opening = options.open();
  const loading = opening ? opening.then(() => loadStart(options, seen)) : loadStart(options, seen);
  return loading.then((loaded) => {
    if (loaded === undefined) return NOTHING_YET;
    const { sessionId } = options.key;
    const snapshotId = toPublicId({ sessionId, id: loaded.snapshot.snapshotId });
    return { content: loaded.content, snapshotId };
  });
}

function loadStart(
  { ledger, key, adopted, first }: StoredRunOptions,
  seen: SeenSession,
): Promise<LoadedSnapshot | undefined> {
  if (adopted) return ledger.work(key, adopted).then(({ start }) => start);
  const parentId = first?.parentId;
  return parentId === undefined
    ? ledger.snapshots.findHead(key, seen)
    : getContinuable(ledger, key, parentId);
}
