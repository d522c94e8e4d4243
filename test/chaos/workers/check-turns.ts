import type { LocalAgent, SessionSnapshot } from "turnkeep";
import type { AcceptedTurn } from "./detaching-client.ts";

export type Ends = ReadonlyMap<string, SessionSnapshot>;

/** How each accepted turn ended. */
export async function endsOf(agent: LocalAgent, turns: readonly AcceptedTurn[]): Promise<Ends> {
  const ends = new Map<string, SessionSnapshot>();
  for (const sessionId of new Set(turns.map((turn) => turn.sessionId))) {
    for (const snapshot of await agent.listSnapshots(sessionId))
      ends.set(snapshot.snapshotId, snapshot);
  }
  return ends;
}

/** Every accepted turn ended well, or as interrupted where nobody knows what its tool did. Nobody asked for others. */
export function brokenTurns(turns: readonly AcceptedTurn[], ends: Ends): readonly string[] {
  const accepted = new Set(turns.map(({ snapshotId }) => snapshotId));
  return [
    ...turns.flatMap(({ snapshotId }) => {
      const { status, finishReason = "" } = ends.get(snapshotId) ?? {};
      const isFine = status === "completed" && ["stop", "interrupted"].includes(finishReason);
      return isFine ? [] : [`${snapshotId} ended as ${status} ${finishReason}`];
    }),
    ...[...ends.keys()].filter((id) => !accepted.has(id)).map((id) => `nobody asked for ${id}`),
  ];
}

/** The tool ran at most once for any turn, and once for each that ended well. */
export function brokenEffects(effects: readonly string[], ends: Ends): readonly string[] {
  const seen = new Set<string>();
  const violations: string[] = [];
  for (const snapshotId of effects) {
    if (seen.has(snapshotId)) violations.push(`the tool ran twice for ${snapshotId}`);
    seen.add(snapshotId);
  }
  for (const [snapshotId, { finishReason }] of ends) {
    if (finishReason === "stop" && !seen.has(snapshotId)) {
      violations.push(`${snapshotId} ended well, but its tool never ran`);
    }
  }
  return violations;
}

/** What was said stands in its session once, in the order of the turns. */
export async function brokenHistories(
  agent: LocalAgent,
  turns: readonly AcceptedTurn[],
): Promise<readonly string[]> {
  const violations: string[] = [];
  for (const sessionId of new Set(turns.map((turn) => turn.sessionId))) {
    const { state } = await agent.getLatestSnapshot(sessionId);
    const users = (state?.messages ?? []).filter(({ role }) => role === "user");
    const said = users.map(({ content }) => content[0]?.text);
    const expected = turns.filter((turn) => turn.sessionId === sessionId).map(({ text }) => text);
    if (said.join() !== expected.join()) {
      violations.push(`${sessionId} holds ${said.length} inputs of ${expected.length}, or others`);
    }
  }
  return violations;
}
