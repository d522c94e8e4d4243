import { type LoadedSnapshot, type SessionKey, SessionTree } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { toPublicId } from "./public-id.ts";

/** What stands in the way of going on with a session. */
export interface SessionTrouble {
  readonly snapshotId: string;
  readonly error: TurnkeepError;
}

/** What became of opening a stored session with this build. */
export interface SessionExamination {
  /** Snapshots that were read. */
  readonly snapshots: number;
  /** How many of them keep a state of an older version than this build's. */
  readonly older: number;
  readonly troubles: readonly SessionTrouble[];
}

/**
 * Reads what the session would go on from as this build would: its head and whatever turns that wait or run start from; with `all`, every snapshot
 * that can be continued. Changes nothing.
 *
 * @throws TurnkeepError UNAVAILABLE when the store cannot be asked.
 */
export async function examineSession<Custom>(
  definition: AgentDefinition<Custom>,
  key: SessionKey,
  { all = false }: { readonly all?: boolean } = {},
): Promise<SessionExamination> {
  const ledger = await definition.open();
  const ids = all
    ? (await new SessionTree(ledger).list(key))
        .filter(({ status }) => status === "completed" || status === "failed")
        .map(({ snapshotId }) => snapshotId)
    : startsOf((await ledger.store.load(key)).record);
  const troubles: SessionTrouble[] = [];
  let older = 0;
  for (const id of ids) {
    const snapshotId = toPublicId({ sessionId: key.sessionId, id });
    try {
      const loaded = await ledger.snapshots.find(key, id);
      if (loaded === undefined) throw missing(key.sessionId, snapshotId);
      if (isOlder(definition, loaded)) older += 1;
      await definition.state.read(loaded.content, { sessionId: key.sessionId, snapshotId });
    } catch (error) {
      if (TurnkeepError.is(error) && error.status === "UNAVAILABLE") throw error;
      troubles.push({
        snapshotId,
        error: TurnkeepError.is(error) ? error : unreadable(key.sessionId, snapshotId, error),
      });
    }
  }
  return { snapshots: ids.length, older, troubles };
}

type Starting = { readonly parentId?: string | undefined } | null;

function startsOf(
  record: {
    readonly head: string | null;
    readonly active: Starting;
    readonly queue: readonly Starting[];
  } | null,
): readonly string[] {
  if (record === null) return [];
  const ids = [record.head, ...[record.active, ...record.queue].map((turn) => turn?.parentId)];
  return [...new Set(ids)].filter((id) => id !== null && id !== undefined);
}

function isOlder<Custom>(
  { state: { version = 0 } }: AgentDefinition<Custom>,
  { content: { custom, stateVersion = 0 } }: LoadedSnapshot,
): boolean {
  return custom !== undefined && stateVersion < version;
}

// What a store could not unpack.
function unreadable(sessionId: string, snapshotId: string, cause: unknown): TurnkeepError {
  const message = `Snapshot ${snapshotId} of session "${sessionId}" cannot be read from the store.`;
  return new TurnkeepError("DATA_LOSS", message, {
    reason: "SNAPSHOT_CORRUPT",
    details: { sessionId, snapshotId },
    cause,
  });
}

function missing(sessionId: string, snapshotId: string): TurnkeepError {
  return new TurnkeepError(
    "DATA_LOSS",
    `Snapshot ${snapshotId} is missing in the store, though session "${sessionId}" is to go on from it.`,
    { reason: "SNAPSHOT_CORRUPT", details: { sessionId, snapshotId } },
  );
}
