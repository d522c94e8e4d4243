import { deltaBetween } from "./content-change.ts";
import type { StartedEvent } from "./run-event.ts";
import { contentFrom, EMPTY_CONTENT, type SessionContent } from "./session-content.ts";
import { foldDeltas } from "./snapshot-delta.ts";
import type { LoadedSnapshot } from "./snapshot-reader.ts";

/** The event that describes the content a turn starts from, input included, as the difference to a snapshot. Without one it holds all of it. */
export function startedEvent(
  turn: number,
  content: SessionContent,
  base?: LoadedSnapshot,
): StartedEvent {
  const delta = deltaBetween(base?.content ?? EMPTY_CONTENT, content);
  const { stateVersion } = content;
  return {
    type: "started",
    turn,
    ...(base && { parentId: base.snapshot.snapshotId }),
    ...(delta && { delta }),
    ...(stateVersion !== undefined && { stateVersion }),
  };
}

/** The content that a turn started from; `undefined` when the snapshot that it builds on is gone. */
export async function contentOfStart(
  { parentId, delta, stateVersion }: StartedEvent,
  find: (snapshotId: string) => Promise<LoadedSnapshot | undefined>,
): Promise<SessionContent | undefined> {
  const base = parentId === undefined ? EMPTY_CONTENT : (await find(parentId))?.content;
  if (base === undefined) return undefined;
  const { messages, artifacts, custom, promptInput } = foldDeltas(delta ? [delta] : [], base);
  return contentFrom({ messages, artifacts, custom, promptInput, stateVersion });
}
