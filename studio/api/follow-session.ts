import type { Message } from "turnkeep/protocol";
import type { SessionName } from "./queries.ts";
import type { RunFollower } from "./run-follower.ts";

// The runs that this tab follows, by session: a page that is left and opened again finds its run.
const followers = new Map<string, RunFollower>();

export function findFollower(name: SessionName): RunFollower | undefined {
  return followers.get(keyOf(name));
}

export function keepFollower(name: SessionName, follower: RunFollower): void {
  const earlier = followers.get(keyOf(name));
  if (earlier !== follower) earlier?.leave();
  followers.set(keyOf(name), follower);
}

export function dropFollower(name: SessionName, follower: RunFollower): void {
  follower.leave();
  if (followers.get(keyOf(name)) === follower) followers.delete(keyOf(name));
}

/** What a run was given, and from where: kept for a reload, so that it is there before the server has told it. */
export interface RememberedInput {
  readonly input?: Message;
  readonly base?: string | null;
}

export function rememberInput(runId: string, remembered: RememberedInput): void {
  sessionStorage.setItem(`run:${runId}`, JSON.stringify(remembered));
}

export function recallInput(runId: string): RememberedInput {
  try {
    return JSON.parse(sessionStorage.getItem(`run:${runId}`) ?? "{}") as RememberedInput;
  } catch {
    return {};
  }
}

export function forgetInput(runId: string): void {
  sessionStorage.removeItem(`run:${runId}`);
}

function keyOf({ agent, session }: SessionName): string {
  return JSON.stringify([agent, session]);
}
