import { useQueryClient } from "@tanstack/react-query";
import type { Message } from "turnkeep/protocol";
import { type SessionName } from "../api/queries.ts";
import { messagesQuery } from "../api/snapshot-queries.ts";
import type { ShownMessage, SnapshotMeta, SnapshotPage } from "../api/types.ts";
import { announce } from "../app/announcer.tsx";
import type { SessionRun } from "./use-session-run.ts";
import type { Viewpoint } from "./viewpoint.ts";

/** Why a turn cannot be taken again; `undefined` when it can. */
export function replayRefusal({ event, parentId }: SnapshotMeta): string | undefined {
  if (event !== "turn-end") return "No turn made it: there is nothing to take again.";
  return parentId === undefined
    ? "The first turn starts from nothing. Send its text in a new session."
    : undefined;
}

/** Takes a turn again with what it was given, on a branch beside it. */
export function useReplay(
  name: SessionName,
  {
    tree,
    view,
    send,
  }: {
    readonly tree: SnapshotPage;
    readonly view: Viewpoint;
    readonly send: SessionRun["send"];
  },
): (snapshot: SnapshotMeta) => void {
  const client = useQueryClient();
  const replay = async ({ snapshotId, parentId }: SnapshotMeta): Promise<void> => {
    const parent = tree.snapshots.find((one) => one.snapshotId === parentId);
    if (parent === undefined) return;
    const offset = parent.messageCount ?? 0;
    const { messages } = await client.fetchQuery(messagesQuery(name, { snapshotId, offset }));
    const message = givenBy(messages[0]);
    if (message === undefined) {
      announce("This turn was not given a message, so it cannot be taken again.");
      return;
    }
    view.choose(undefined);
    send({ message, from: parent.snapshotId }, parent.snapshotId);
  };
  return (snapshot) => void replay(snapshot).catch(() => announce("The turn could not be read."));
}

// What was left out for its length cannot be sent again from here.
function givenBy(message: ShownMessage | undefined): Message | undefined {
  if (message?.role !== "user") return undefined;
  return message.content.some((part) => "elided" in part) ? undefined : (message as Message);
}
