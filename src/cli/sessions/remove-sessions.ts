import { TurnkeepError } from "../../protocol/index.ts";
import { isAgreed } from "./is-agreed.ts";
import { type SessionDesk, someNamed } from "./session-desk.ts";

/** Erases sessions, with everything under them. */
export async function removeSessions(desk: SessionDesk): Promise<void> {
  const { agent, owner, terminal, isJson } = desk;
  const names = someNamed(desk, "session");
  if (!(await isAgreed(desk, `Erase ${names.join(", ")} for good?`))) return;
  for (const sessionId of names) {
    // oxlint-disable-next-line no-await-in-loop
    const deleted = await agent.deleteSession(sessionId, owner);
    if (!deleted) throw new TurnkeepError("NOT_FOUND", `There is no session "${sessionId}".`);
    const { linked } = deleted;
    terminal.out(isJson ? JSON.stringify({ erased: sessionId, linked }) : `erased ${sessionId}`);
    if (isJson) continue;
    for (const { agent: name, sessionId: id } of linked) terminal.out(`erased ${id} of ${name}`);
  }
}
