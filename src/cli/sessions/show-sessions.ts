import type { SessionSnapshot, SessionSummary } from "../../agent/index.ts";
import type { Message } from "../../protocol/index.ts";
import { brief, textOf } from "../chat/turn-printer.ts";
import { type Paint, paintFor } from "../paint.ts";
import { plural } from "../plural.ts";
import { oneOf } from "../read-arguments.ts";
import { visibleText } from "../visible-text.ts";
import { everySession, type SessionDesk } from "./session-desk.ts";

export async function listSessions(desk: SessionDesk): Promise<void> {
  const { terminal, isJson } = desk;
  const { dim } = paintFor(terminal);
  let count = 0;
  for await (const session of everySession(desk)) {
    count += 1;
    terminal.out(isJson ? JSON.stringify(session) : lineOf(session));
  }
  if (!isJson) terminal.out(dim(plural(count, "session")));
}

export async function showSession({
  agent,
  named,
  owner,
  isJson,
  terminal,
}: SessionDesk): Promise<void> {
  const sessionId = oneOf(named, "session");
  const head = await agent.getLatestSnapshot(sessionId, owner);
  const snapshots = await agent.listSnapshots(sessionId, owner);
  if (isJson) {
    terminal.out(JSON.stringify({ ...head, snapshots }));
    return;
  }
  const paint = paintFor(terminal);
  const { messages = [], custom, artifacts = [] } = head.state ?? {};
  for (const message of messages) terminal.out(sayMessage(message, paint));
  if (custom !== undefined)
    terminal.out(`${paint.bold("state")} ${visibleText(JSON.stringify(custom))}`);
  for (const { name = "(no name)" } of artifacts)
    terminal.out(`${paint.bold("artifact")} ${visibleText(name)}`);
  for (const line of treeOf(snapshots, head.snapshotId)) terminal.out(paint.dim(line));
}

function lineOf({ sessionId, status, messageCount, updatedAt }: SessionSummary): string {
  return `${updatedAt.slice(0, 19).replace("T", " ")}  ${status.padEnd(6)}  ${String(messageCount).padStart(5)} ${messageCount === 1 ? "message " : "messages"}  ${visibleText(sessionId)}`;
}

function sayMessage(message: Message, { bold, dim }: Paint): string {
  const tools = message.content.flatMap(({ toolRequest, toolResponse }) => {
    if (toolRequest) return [dim(`→ ${toolRequest.name} ${brief(toolRequest.input ?? null)}`)];
    return toolResponse
      ? [dim(`← ${toolResponse.name} ${brief(toolResponse.output ?? null)}`)]
      : [];
  });
  const words = visibleText(textOf(message));
  return [bold(message.role), words, ...tools].filter((text) => text !== "").join(" ");
}

// Where the session branches, the branches are indented.
function treeOf(snapshots: readonly SessionSnapshot[], head: string): readonly string[] {
  const lines: string[] = [];
  const children = new Map<string, SessionSnapshot[]>();
  for (const snapshot of snapshots) {
    const { parentId = "" } = snapshot;
    children.set(parentId, [...(children.get(parentId) ?? []), snapshot]);
  }
  // A list and no recursion: a talk may be thousands of turns deep.
  const open = (children.get("") ?? []).map((snapshot) => ({ snapshot, indent: "" })).toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { snapshot, indent } = next;
    const mark = snapshot.snapshotId === head ? "  ← head" : "";
    lines.push(`${indent}${snapshot.snapshotId}  ${snapshot.status ?? ""}${mark}`);
    const below = children.get(snapshot.snapshotId) ?? [];
    const deeper = below.length > 1 ? `${indent}  ` : indent;
    open.push(...below.map((child) => ({ snapshot: child, indent: deeper })).toReversed());
  }
  return lines;
}
