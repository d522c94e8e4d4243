import type { Agent, Message, SessionSnapshot } from "turnkeep";
import type { Memory } from "./memory.ts";

export function textOf(message: Message | undefined): string {
  return (message?.content ?? []).map(({ text = "" }) => text).join("");
}

/** What was said last by one of the two. */
export function lastSaid({ state }: SessionSnapshot<Memory>, role: "user" | "model"): string {
  return textOf(state?.messages?.findLast((message) => message.role === role));
}

/** The snapshot and those that led to it, newest first. */
export async function pathTo(
  agent: Agent<Memory>,
  sessionId: string,
  snapshotId: string | undefined,
): Promise<readonly SessionSnapshot<Memory>[]> {
  const all = new Map(
    (await agent.listSnapshots(sessionId)).map((snapshot) => [snapshot.snapshotId, snapshot]),
  );
  const path: SessionSnapshot<Memory>[] = [];
  for (
    let next = all.get(snapshotId ?? "");
    next !== undefined;
    next = all.get(next.parentId ?? "")
  ) {
    path.push(next);
  }
  return path;
}

/** The tree of snapshots as lines; where it branches, the branches are indented. */
export async function drawTree(
  agent: Agent<Memory>,
  sessionId: string,
  here: string | undefined,
): Promise<readonly string[]> {
  const snapshots = await agent.listSnapshots(sessionId);
  const lines: string[] = [];
  const draw = async (
    parentId: string | undefined,
    turn: number,
    indent: string,
  ): Promise<void> => {
    const children = snapshots.filter((snapshot) => snapshot.parentId === parentId);
    for (const { snapshotId, status } of children) {
      const isDone = status === "completed";
      const said = isDone ? lastSaid(await agent.getSnapshot(snapshotId), "user") : `(${status})`;
      const mark = snapshotId === here ? "  <- you are here" : "";
      lines.push(`${indent}${turn}. ${said}${mark}`);
      await draw(snapshotId, turn + 1, children.length > 1 ? `${indent}   ` : indent);
    }
  };
  await draw(undefined, 1, "  ");
  return lines;
}
