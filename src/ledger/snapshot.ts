import type {
  AgentFinishReason,
  Json,
  JsonObject,
  RuntimeError,
  SnapshotEventName,
} from "../protocol/index.ts";
import type { ContentHash } from "./content-hash.ts";
import type { SnapshotOrigin, StateCounts, TurnProgress } from "./head-record.ts";
import type { KeyRange } from "./row-key.ts";

/** A snapshot without its content: one row, so that listing the tree reads no state. It is also the terminal record of its turn. */
export interface Snapshot extends Absent<StoredContent> {
  readonly snapshotId: string;
  readonly parentId?: string | undefined;
  /** The run that made it, and the turn; none for a fork or an edit, and no turn for what a run saved after its last one. */
  readonly runId?: string | undefined;
  readonly turn?: number | undefined;
  /** Where the rest does not say what made it. */
  readonly event?: "tool-round" | undefined;
  /** The snapshots that were saved while its turn ran. */
  readonly rounds?: readonly string[] | undefined;
  readonly status: SnapshotEnd;
  readonly finishReason?: AgentFinishReason | undefined;
  readonly error?: RuntimeError | undefined;
  readonly usage?: JsonObject | undefined;
  /** When its id was reserved, and when it was committed, in store time. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Counts the session's snapshots in the order they were committed, from 1. */
  readonly rev: number;
  readonly forkedFrom?: SnapshotOrigin | undefined;
  /** Which version of its schema the custom state follows; absent for a state without versions. */
  readonly stateVersion?: number | undefined;
  /** What the turn was given, kept here only when its content does not say: inputs that nobody processed to their end, or one that answered an interrupt. */
  readonly input?: Json | undefined;
}

type Absent<Members> = { readonly [Name in keyof Members]?: Members[Name] | undefined };

/** A pending snapshot has no row yet: it is a view on a turn that is queued or running. */
export type SnapshotEnd = "completed" | "failed" | "aborted";

/** Where a snapshot's content is. A snapshot without it has no content of its own and shows its parent's. */
export interface StoredContent {
  /** The rows that the content is folded from, in order. */
  readonly chain: readonly KeyRange[];
  readonly hash: ContentHash;
  readonly counts: StateCounts;
  readonly size: ContentSize;
}

/** In characters of JSON; close enough to decide when a checkpoint pays. */
export interface ContentSize {
  readonly messages: number;
  readonly artifacts: number;
  /** Of the custom state when it was last written whole, and of the patches since. */
  readonly custom: number;
  readonly customPatches: number;
  readonly promptInput: number;
  /** What reading the chain costs. */
  readonly chain: number;
}

export function storedContentOf({
  chain,
  hash,
  counts,
  size,
}: Snapshot): StoredContent | undefined {
  if (chain === undefined || hash === undefined || counts === undefined || size === undefined)
    return undefined;
  return { chain, hash, counts, size };
}

/** What made it. */
export function eventOf({
  event,
  runId,
  turn,
  forkedFrom,
}: Pick<Snapshot, "event" | "runId" | "turn" | "forkedFrom">): SnapshotEventName {
  if (event !== undefined) return event;
  if (runId !== undefined) return turn === undefined ? "invocation-end" : "turn-end";
  return forkedFrom ? "fork" : "edit";
}

/** What a snapshot of a turn holds that ended before it had processed all of its inputs. */
export function contentOfProgress(
  progress: TurnProgress | undefined,
): Absent<StoredContent> & Pick<Snapshot, "stateVersion"> {
  if (progress === undefined) return {};
  const { chain, hash, counts, size, stateVersion } = progress;
  return { chain, hash, counts, size, stateVersion };
}

/** Whether a client may continue from it. */
export function isContinuable(snapshot: Snapshot): boolean {
  return snapshot.status !== "aborted" && storedContentOf(snapshot) !== undefined;
}
