import type { Agent, ReadOptions, SessionSnapshot } from "../../agent/index.ts";
import { TurnkeepError } from "../../protocol/index.ts";
import { textOf } from "./turn-printer.ts";

/** The session's head; `undefined` when there is no such session yet. */
export async function findHead(
  agent: Agent,
  sessionId: string,
  options: ReadOptions,
): Promise<SessionSnapshot | undefined> {
  try {
    return await agent.getLatestSnapshot(sessionId, options);
  } catch (error) {
    if (TurnkeepError.is(error) && error.status === "NOT_FOUND") return undefined;
    throw error;
  }
}

/** The snapshot and those that led to it, newest first. */
export function pathFrom(
  snapshots: readonly SessionSnapshot[],
  snapshotId: string | undefined,
): readonly SessionSnapshot[] {
  const byId = new Map(snapshots.map((snapshot) => [snapshot.snapshotId, snapshot]));
  const path: SessionSnapshot[] = [];
  let next = byId.get(snapshotId ?? "");
  while (next) {
    path.push(next);
    next = byId.get(next.parentId ?? "");
  }
  return path;
}

/** What the user said last before this snapshot. */
export function lastSaid({ state }: SessionSnapshot): string {
  return textOf(state?.messages?.findLast(({ role }) => role === "user"));
}
