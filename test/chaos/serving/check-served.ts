import type { LocalAgent, SessionSnapshot } from "turnkeep";
import type { AcceptedInput } from "./http-client.ts";

/** What a server wrote down. */
export interface ServerNote {
  readonly pid: number;
  readonly begun?: string;
  readonly attempt?: number;
  readonly closing?: true;
  /** How many inputs were being committed when it began to close. */
  readonly accepting?: number;
}

export interface ServedEvidence {
  readonly accepted: readonly AcceptedInput[];
  readonly notes: readonly ServerNote[];
  /** A line for each time the tool ran: the turn it ran for. */
  readonly effects: readonly string[];
}

export interface CheckedServing {
  readonly completed: number;
  readonly interrupted: number;
  readonly violations: readonly string[];
}

/** Compares what is stored with what clients were answered. */
export async function checkServed(
  agent: LocalAgent,
  { accepted, notes, effects }: ServedEvidence,
): Promise<CheckedServing> {
  const violations: string[] = [];
  const snapshots: SessionSnapshot[] = [];
  for (const sessionId of new Set(accepted.map((input) => input.sessionId))) {
    const texts = accepted.filter((input) => input.sessionId === sessionId).map(({ text }) => text);
    const found = await agent.listSnapshots(sessionId);
    snapshots.push(...found);
    if (found.length !== texts.length) {
      violations.push(`${sessionId}: ${texts.length} inputs became ${found.length} turns`);
    }
    const { state } = await agent.getLatestSnapshot(sessionId);
    const users = (state?.messages ?? []).filter(({ role }) => role === "user");
    const kept = users.map(({ content }) => content[0]?.text);
    if (kept.join() !== texts.join()) violations.push(`${sessionId}: inputs are lost or doubled`);
  }
  for (const { snapshotId, status, finishReason = "" } of snapshots) {
    const isFine = status === "completed" && ["stop", "interrupted"].includes(finishReason);
    if (!isFine) violations.push(`${snapshotId} ended as ${status} ${finishReason}`);
  }
  violations.push(...brokenEffects(effects, snapshots), ...brokenAttempts(notes));
  const count = (reason: string): number =>
    snapshots.filter(({ finishReason }) => finishReason === reason).length;
  return { completed: count("stop"), interrupted: count("interrupted"), violations };
}

function brokenEffects(
  effects: readonly string[],
  snapshots: readonly SessionSnapshot[],
): readonly string[] {
  const once = new Set(effects);
  const doubled = effects.length - once.size;
  const missing = snapshots.filter(
    ({ snapshotId, finishReason }) => finishReason === "stop" && !once.has(snapshotId),
  );
  return [
    ...(doubled > 0 ? [`the tool ran twice for ${doubled} turns`] : []),
    ...missing.map(({ snapshotId }) => `${snapshotId} ended well, but its tool never ran`),
  ];
}

/** A turn is begun twice at the same attempt only when the first of the two servers was closed. */
function brokenAttempts(notes: readonly ServerNote[]): readonly string[] {
  const closed = new Set(notes.flatMap(({ pid, closing }) => (closing ? [pid] : [])));
  const last = new Map<string, ServerNote>();
  const violations: string[] = [];
  for (const note of notes) {
    if (note.begun === undefined) continue;
    const before = last.get(note.begun);
    if (before && before.attempt === note.attempt && !closed.has(before.pid)) {
      violations.push(`${note.begun} was begun twice as attempt ${note.attempt}`);
    }
    last.set(note.begun, note);
  }
  return violations;
}
