import { setTimeout as sleep } from "node:timers/promises";
import type { LocalAgent, SessionSnapshot } from "turnkeep";
import type { ReadStep, WaitStep } from "./spec-case.ts";

// An expired one may still be taken over and end.
const ENDED = new Set(["completed", "failed", "aborted"]);
const POLL_MS = 10;
const LONGEST_WAIT_MS = 60_000;

/** The snapshot that a step names, by its id or as the latest of a session. */
export async function readSnapshot(
  agent: LocalAgent,
  { snapshotId, sessionId }: Pick<ReadStep, "snapshotId" | "sessionId">,
): Promise<SessionSnapshot> {
  if (snapshotId !== undefined && sessionId === undefined)
    return await agent.getSnapshot(snapshotId);
  if (sessionId !== undefined && snapshotId === undefined) {
    return await agent.getLatestSnapshot(sessionId);
  }
  throw new Error("A snapshot is asked for by exactly one of snapshotId and sessionId.");
}

/** @throws Error when it has not ended in time. */
export async function waitForSnapshot(agent: LocalAgent, step: WaitStep): Promise<SessionSnapshot> {
  const limitMs = step.timeout ?? step.timeoutMs ?? LONGEST_WAIT_MS;
  const deadline = performance.now() + limitMs;
  for (;;) {
    const snapshot = await readSnapshot(agent, step);
    if (ENDED.has(snapshot.status ?? "")) return snapshot;
    if (performance.now() > deadline) {
      throw new Error(`The snapshot is still ${snapshot.status} after ${limitMs} ms.`);
    }
    await sleep(POLL_MS);
  }
}
