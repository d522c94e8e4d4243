import type { PendingSnapshot, Snapshot } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { findPublicId } from "./public-id.ts";

/** Which of a session's snapshots are asked for. */
export interface SnapshotPageOptions {
  /** With the state of each: 50 unless `limit` says otherwise, 200 at most, and fewer where their states are large. */
  readonly withState?: boolean;
  readonly limit?: number;
  /** The last one of the page before. */
  readonly after?: string;
}

const DEFAULT_STATES = 50;
const MAX_STATES = 200;
const MAX_STATE_CHARACTERS = 8 * 1024 * 1024;

type Listed = Snapshot | PendingSnapshot;

/**
 * One page of all snapshots of a session. Empty only behind the last: a state that is larger than all of a page may be comes alone.
 *
 * @throws TurnkeepError NOT_FOUND when the snapshot to go on behind is not there any more.
 */
export function snapshotPage(
  all: readonly Listed[],
  { withState = false, limit, after }: SnapshotPageOptions,
): readonly Listed[] {
  const start = after === undefined ? 0 : placeBehind(all, after);
  if (!withState) return all.slice(start, limit === undefined ? undefined : start + limit);
  const most = Math.min(limit ?? DEFAULT_STATES, MAX_STATES);
  const page = all.slice(start, start + most);
  const byId = new Map(all.map((snapshot) => [snapshot.snapshotId, snapshot]));
  let characters = 0;
  const end = page.findIndex((snapshot, index) => {
    characters += sizeOf(snapshot, byId);
    return index > 0 && characters > MAX_STATE_CHARACTERS;
  });
  return end === -1 ? page : page.slice(0, end);
}

function placeBehind(all: readonly Listed[], after: string): number {
  const id = findPublicId(after)?.id;
  const index = all.findIndex(({ snapshotId }) => snapshotId === id);
  if (index >= 0) return index + 1;
  throw new TurnkeepError(
    "NOT_FOUND",
    `Snapshot '${after}' is not there any more. List the snapshots again without 'after'.`,
    { details: { snapshotId: after } },
  );
}

// One without content of its own shows its parent's; one that is pending shows none.
function sizeOf(snapshot: Listed, byId: ReadonlyMap<string, Listed>): number {
  let at: Listed | undefined = snapshot;
  while (at !== undefined && at.status !== "pending") {
    if (at.size) {
      const { messages, artifacts, custom, customPatches, promptInput } = at.size;
      return messages + artifacts + custom + customPatches + promptInput;
    }
    at = at.parentId === undefined ? undefined : byId.get(at.parentId);
  }
  return 0;
}
