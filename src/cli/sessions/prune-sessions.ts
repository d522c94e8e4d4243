import type { SessionSummary } from "../../agent/index.ts";
import { systemClock } from "../../ledger/index.ts";
import { plural } from "../plural.ts";
import { Progress } from "../progress.ts";
import { misuse } from "../read-arguments.ts";
import { isAgreed } from "./is-agreed.ts";
import { everySession, type SessionDesk } from "./session-desk.ts";

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Erases sessions that nobody used for long, and has the agent sweep what its retention lets go of. */
export async function pruneSessions(desk: SessionDesk): Promise<void> {
  const { agent, local, owner, terminal, values, isJson } = desk;
  if (desk.named.length > 0) throw misuse("prune takes no sessions; rm does.");
  const age = timeFrom(values["older-than"]);
  if (age === 0)
    terminal.err(`Warning: --older-than ${values["older-than"]} means every session that is idle.`);
  const old = await oldSessions(desk, systemClock.now() - age);
  if (values["dry-run"]) {
    for (const { sessionId } of old)
      terminal.out(isJson ? JSON.stringify({ old: sessionId }) : sessionId);
    return;
  }
  if (old.length > 0 && !(await isAgreed(desk, `Erase ${plural(old.length, "session")} for good?`)))
    return;
  const progress = new Progress(terminal, "erasing");
  for (const [index, { sessionId }] of old.entries()) {
    progress.show(index, old.length);
    // oxlint-disable-next-line no-await-in-loop
    await agent.deleteSession(sessionId, owner);
  }
  progress.end();
  await (await local?.takeWorkDesk())?.sweep();
  terminal.out(
    isJson ? JSON.stringify({ erased: old.length }) : `erased ${plural(old.length, "session")}`,
  );
}

async function oldSessions(desk: SessionDesk, before: number): Promise<readonly SessionSummary[]> {
  const old: SessionSummary[] = [];
  const progress = new Progress(desk.terminal, "looking at sessions");
  let seen = 0;
  for await (const session of everySession(desk)) {
    progress.show((seen += 1));
    if (session.status === "idle" && Date.parse(session.updatedAt) < before) old.push(session);
  }
  progress.end();
  return old.toSorted((left, right) => left.updatedAt.localeCompare(right.updatedAt));
}

function timeFrom(text: string | undefined): number {
  const [, amount, unit = ""] = /^(\d+)([mhd])$/.exec(text ?? "") ?? [];
  const length = UNITS[unit];
  if (amount === undefined || length === undefined) {
    throw misuse("Say for how long they were not used: --older-than 30d, 12h or 90m.");
  }
  return Number(amount) * length;
}
