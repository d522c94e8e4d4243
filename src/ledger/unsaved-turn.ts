import type { AgentFinishReason, JsonObject, RuntimeError } from "../protocol/index.ts";
import { turnKey } from "./row-key.ts";
import type { Row, View } from "./session-store.ts";
import type { SnapshotEnd } from "./snapshot.ts";
import { findRow, jsonRow } from "./step.ts";

/** How a turn ended that left no snapshot. Swept like its run; nothing lists it. */
export interface UnsavedTurn {
  /** The id that was reserved for a snapshot. */
  readonly snapshotId: string;
  readonly parentId?: string | undefined;
  readonly runId: string;
  readonly turn: number;
  readonly status: SnapshotEnd;
  readonly finishReason?: AgentFinishReason | undefined;
  readonly error?: RuntimeError | undefined;
  readonly usage?: JsonObject | undefined;
  /** When its id was reserved, and when it ended, in store time. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export function unsavedRow({ snapshotId, ...turn }: UnsavedTurn): Row {
  return jsonRow(turnKey(snapshotId), turn);
}

/** The turn, if its row was wanted and is there. */
export function findUnsaved(view: Pick<View, "rows">, snapshotId: string): UnsavedTurn | undefined {
  const turn = findRow<Omit<UnsavedTurn, "snapshotId">>(view, turnKey(snapshotId));
  return turn && { snapshotId, ...turn };
}
