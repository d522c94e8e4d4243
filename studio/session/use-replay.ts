import { useQueryClient } from "@tanstack/react-query";
import type { Message } from "turnkeep/protocol";
import { type SessionName } from "../api/queries.ts";
import { messagesQuery } from "../api/snapshot-queries.ts";
import type { ShownMessage, SnapshotMeta, SnapshotPage } from "../api/types.ts";
import { announce } from "../app/announcer.tsx";
import type { SessionRun } from "./use-session-run.ts";
import type { Viewpoint } from "./viewpoint.ts";

export type Replay = (snapshot: SnapshotMeta, times?: number) => void;

/** Why a turn cannot be taken again; `undefined` when it can. */
export function replayRefusal({ event, parentId }: SnapshotMeta): string | undefined {
  if (event !== "turn-end") return "No turn made it: there is nothing to take again.";
  return parentId === undefined
    ? "The first turn starts from nothing. Send its text in a new session."
    : undefined;
}

/** Takes a turn again with what it was given, on a branch beside it, as often as told. */
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
): Replay {
  const client = useQueryClient();
  const replay = async ({ snapshotId, parentId }: SnapshotMeta, times: number): Promise<void> => {
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
    const from = parent.snapshotId;
    for (let taken = 0; taken < times; taken += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const { phase, finishReason } = await send({ message, from }, from);
      // Whoever stops one of them wants no more.
      if (phase !== "ended" || finishReason === "aborted") return;
    }
  };
  return (snapshot, times = 1) =>
    void replay(snapshot, times).catch(() => announce("The turn could not be read."));
}

// What was left out for its length cannot be sent again from here.
function givenBy(message: ShownMessage | undefined): Message | undefined {
  if (message?.role !== "user") return undefined;
  return message.content.some((part) => "elided" in part) ? undefined : (message as Message);
}
