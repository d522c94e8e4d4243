import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import type { Json, Message, Resume } from "turnkeep/protocol";
import {
  dropFollower,
  findFollower,
  forgetInput,
  keepFollower,
  recallInput,
  rememberInput,
} from "../api/follow-session.ts";
import { runsQuery, type SessionName, sessionQuery } from "../api/queries.ts";
import { messagesQuery } from "../api/snapshot-queries.ts";
import { pathOf, sendJson } from "../api/request.ts";
import { type FollowedRun, RunFollower } from "../api/run-follower.ts";
import { announce } from "../app/announcer.tsx";

/** What a turn is given from the page. */
export interface TurnToSend {
  readonly message?: Message;
  readonly resume?: Resume;
  readonly isInBackground?: boolean;
  /** The snapshot to go on from; the head, unless told. */
  readonly from?: string;
}

export interface SessionRun {
  readonly run: FollowedRun | undefined;
  /** Why the last turn could not start. */
  readonly refusal: unknown;
  /** Sends a turn; told when it is over, or could not start. */
  readonly send: (turn: TurnToSend, base: string | undefined) => Promise<FollowedRun>;
  readonly stop: () => void;
}

/** The run of a session: the one that was started here, or that is found under way. */
export function useSessionRun(
  name: SessionName,
  { isBusy, head }: { readonly isBusy: boolean; readonly head: string | undefined },
): SessionRun {
  const client = useQueryClient();
  const [follower, setFollower] = useState(() => findFollower(name));
  const [refusal, setRefusal] = useState<unknown>();
  const run = useFollowed(follower);
  const follow = useCallback(
    async (next: RunFollower, work: Promise<void>) => {
      keepFollower(name, next);
      setFollower(next);
      setRefusal(undefined);
      await work.catch((error: unknown) => {
        if (next.run.phase !== "ended") setRefusal(error);
      });
      await refresh(client, name);
      if (next.run.runId !== undefined) forgetInput(next.run.runId);
      dropFollower(name, next);
      setFollower((current) => (current === next ? undefined : current));
    },
    // A session's name does not change while its page is open.
    // oxlint-disable-next-line react/exhaustive-deps
    [client, name.agent, name.session],
  );
  useRejoin(name, { isWanted: isBusy && follower === undefined, base: head ?? null, follow });
  useAnnouncements(run);
  const send: SessionRun["send"] = async (turn, base) => {
    const next = new RunFollower();
    const known = { ...(turn.message && { input: turn.message }), base: base ?? null };
    const off = next.subscribe(() => {
      if (next.run.runId === undefined) return;
      rememberInput(next.run.runId, known);
      off();
    });
    await follow(next, next.execute(name.agent, bodyOf(name.session, turn), known));
    return next.run;
  };
  const stop = (): void => {
    if (run?.runId === undefined) return;
    sendJson("POST", `${pathOf("runs", run.runId)}/abort`).catch(setRefusal);
  };
  return { run, refusal, send, stop };
}

/** What a follower knows, again and again. */
export function useFollowed(follower: RunFollower | undefined): FollowedRun | undefined {
  return useSyncExternalStore(
    useCallback((listener) => follower?.subscribe(listener) ?? (() => {}), [follower]),
    () => follower?.run,
  );
}

/** What was written in a message. */
export function textOf(message: TurnToSend["message"]): string {
  return (message?.content ?? []).map(({ text = "" }) => text).join("");
}

/** The body of a turn for the API. */
export function bodyOf(
  session: string | undefined,
  { message, resume, isInBackground = false, from }: TurnToSend,
): { readonly input: Json; readonly init?: Json } {
  const place = from === undefined ? session && { sessionId: session } : { snapshotId: from };
  return {
    input: {
      ...(message && { message: message as unknown as Json }),
      ...(resume && { resume: resume as unknown as Json }),
      ...(isInBackground && { detach: true }),
    },
    ...(place && { init: place }),
  };
}

type Follow = (next: RunFollower, work: Promise<void>) => Promise<void>;

// A run that is under way is joined, also after a reload.
function useRejoin(
  { agent, session }: SessionName,
  {
    isWanted,
    base,
    follow,
  }: { readonly isWanted: boolean; readonly base: string | null; readonly follow: Follow },
): void {
  const runs = useQuery({ ...runsQuery({ agent, sessionId: session }), enabled: isWanted });
  const found = isWanted
    ? runs.data?.findLast(({ status }) => status === "running" || status === "queued")
    : undefined;
  const runId = found?.runId;
  useEffect(() => {
    if (runId === undefined) return;
    const next = new RunFollower();
    const from = found?.status === "running" ? (found.parentId ?? null) : base;
    void follow(next, next.attach(runId, { base: from, ...recallInput(runId) }));
    // Where it begins is asked once, when it is found.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [runId, follow]);
}

function useAnnouncements(run: FollowedRun | undefined): void {
  const phase = run?.phase;
  const finishReason = run?.finishReason;
  useEffect(() => {
    if (phase === "running") announce("Answer started.");
    if (phase !== "ended") return;
    announce(finishReason === "interrupted" ? "Approval needed." : "Answer finished.");
  }, [phase, finishReason]);
}

// What the run led to is there before what it said is taken away.
async function refresh(
  client: ReturnType<typeof useQueryClient>,
  name: SessionName,
): Promise<void> {
  const { agent, session } = name;
  await Promise.all([
    client.invalidateQueries({ queryKey: ["sessions", "one", agent, session] }),
    client.invalidateQueries({ queryKey: ["sessions", "tree", agent, session] }),
  ]);
  void client.invalidateQueries({ queryKey: ["runs"] });
  void client.invalidateQueries({ queryKey: ["traces", "list"] });
  const head = client.getQueryData(sessionQuery(name).queryKey)?.head?.snapshotId;
  if (head !== undefined) await client.prefetchQuery(messagesQuery(name, { snapshotId: head }));
}
