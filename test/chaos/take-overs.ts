import type { FaultKind } from "./fault-kinds.ts";

/** Something that was done to a process; 0 stands for the server. */
export interface Strike {
  readonly pid: number;
  readonly kind: FaultKind;
  readonly at: number;
}

/** A worker's note that a turn is now its own. */
export interface ClaimNote {
  readonly snapshotId: string;
  readonly epoch: number;
  readonly pid: number;
  readonly at: number;
}

/** A worker's note that it gave a turn up, because the store was away or too busy. */
export interface AbandonNote {
  readonly snapshotId: string;
  readonly epoch: number;
}

export interface TakeOvers {
  /** From the fault to the claim of the next worker, in rising order. */
  readonly times: readonly number[];
  readonly healthy: number;
}

/** A time that a process with a wrong clock knows as well as any other. */
export function timeNow(): number {
  return performance.timeOrigin + performance.now();
}

/** How each turn that had more than one worker came from one to the next. */
export function measureTakeOvers(
  claims: readonly ClaimNote[],
  abandoned: readonly AbandonNote[],
  strikes: readonly Strike[],
): TakeOvers {
  const givenUp = new Set(abandoned.map(({ snapshotId, epoch }) => `${snapshotId} ${epoch}`));
  const times: number[] = [];
  let healthy = 0;
  for (const [from, to] of successions(claims)) {
    const between = strikes.filter(({ at }) => at >= from.at && at <= to.at);
    const own = between.find(({ pid, kind }) => pid === from.pid && kind !== "reset");
    const isExplained = between.some(({ pid }) => pid === from.pid || pid === 0);
    if (own) times.push(to.at - own.at);
    else if (!isExplained && !givenUp.has(`${from.snapshotId} ${from.epoch}`)) healthy += 1;
  }
  return { times: times.toSorted((one, other) => one - other), healthy };
}

export function percentile(sorted: readonly number[], share: number): number | null {
  const found = sorted[Math.ceil(share * sorted.length) - 1];
  return found === undefined ? null : Math.round(found);
}

function successions(
  claims: readonly ClaimNote[],
): readonly (readonly [from: ClaimNote, to: ClaimNote])[] {
  const byTurn = new Map<string, ClaimNote[]>();
  for (const note of claims) {
    byTurn.set(note.snapshotId, [...(byTurn.get(note.snapshotId) ?? []), note]);
  }
  return [...byTurn.values()].flatMap((notes) => {
    const inOrder = notes.toSorted((one, other) => one.epoch - other.epoch);
    return inOrder.slice(1).map((to, index) => [inOrder[index] ?? to, to] as const);
  });
}
