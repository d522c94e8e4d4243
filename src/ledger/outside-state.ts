import { ANSWER_LIMITS, parseSessionState, type SessionState } from "../protocol/index.ts";
import { beginSession, type BegunSession } from "./begin-session.ts";
import { changeOfContent } from "./content-change.ts";
import { GrownList } from "./grown-list.ts";
import { contentFrom, EMPTY_CONTENT, freezeContent, stateOf } from "./session-content.ts";
import type { View } from "./session-store.ts";
import { hashText } from "./sha256.ts";
import { storedContentOf } from "./snapshot.ts";
import { contentOf, parseDeltas } from "./snapshot-reader.ts";
import { findSnapshot } from "./snapshot-row.ts";
import { livingRecord } from "./step.ts";

/**
 * Begins a session with a state that another program kept. The same state gives the same snapshot id, however often it is asked for.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when it is no state.
 */
export function beginFromState(given: unknown, now: number): BegunSession {
  const {
    messages = [],
    artifacts = [],
    custom,
  } = parseSessionState(given, {
    limits: ANSWER_LIMITS,
  });
  const content = contentFrom({
    messages: GrownList.of([...messages]),
    artifacts,
    custom,
    promptInput: undefined,
    stateVersion: undefined,
  });
  const change = changeOfContent(undefined, freezeContent(content, EMPTY_CONTENT));
  // In the form of any other id, and before all of them.
  const snapshotId = `0000000000${hashText(JSON.stringify(change.hash)).slice(0, 16)}`;
  return beginSession({ snapshotId, change }, null, now);
}

/** The state of a session's head, for other programs to read; `undefined` when the rows do not hold it. Wants the rows of `chainOf: "head"`. */
export function findHeadState({
  record,
  rows,
}: Pick<View, "record" | "rows">): Omit<SessionState, "sessionId"> | undefined {
  const head = livingRecord(record)?.head;
  if (head === undefined || head === null) return undefined;
  try {
    const snapshot = findSnapshot({ rows }, head);
    if (snapshot === undefined || storedContentOf(snapshot) === undefined) return undefined;
    // The session's name is for errors only, and none gets out of here.
    return stateOf(contentOf(parseDeltas(rows), snapshot, ""));
  } catch {
    // Damage is reported to those who resume from the snapshot.
    return undefined;
  }
}
