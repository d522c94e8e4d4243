import { EMPTY_CONTENT, type SessionContent, stateOf } from "../ledger/index.ts";
import type { SessionState } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { SNAPSHOT_EVENTS, type SnapshotEvent, type SnapshotMoment } from "./agent-options.ts";
import type { CallContext } from "./call-context.ts";
import type { SnapshotRule } from "./stored-run-options.ts";

// Those after a round of tools have to be asked for.
const ENDS: readonly SnapshotEvent[] = ["turnEnd", "runEnd"];

/** When a snapshot may be saved, as far as that is known before anything has happened. */
export function snapshotEvents<Custom>({
  options: { snapshotWhen = "always" },
}: AgentDefinition<Custom>): readonly SnapshotEvent[] {
  if (typeof snapshotWhen === "function") return SNAPSHOT_EVENTS;
  if (typeof snapshotWhen !== "string") return snapshotWhen;
  return snapshotWhen === "never" ? [] : ENDS;
}

/** The agent's rule for keeping snapshots, made ready for one run. */
export function wantsSnapshot<Custom>(
  { options: { snapshotWhen = "always" }, state }: AgentDefinition<Custom>,
  { sessionId, context }: { readonly sessionId: string; readonly context: CallContext },
): SnapshotRule {
  if (typeof snapshotWhen === "string") {
    return ({ event }) => snapshotWhen === "always" && event !== "toolRound";
  }
  if (typeof snapshotWhen !== "function") return ({ event }) => snapshotWhen.includes(event);
  const shown = (content: SessionContent): SessionState<Custom> =>
    ({ sessionId, ...stateOf(content) }) as SessionState<Custom>;
  const rule = failingOnce(snapshotWhen, ({ event, content, previous, turnIndex }) => ({
    event,
    state: shown(content),
    ...(previous !== EMPTY_CONTENT && { previousState: shown(previous) }),
    turnIndex,
    context,
  }));
  return (moment) => {
    const { previous } = moment;
    if (previous === EMPTY_CONTENT || state.isCurrent(previous)) return rule(moment);
    const migrated = state.read(previous, { sessionId }).catch(() => undefined);
    // A turn that ends because its state cannot be migrated is kept like any other end.
    return migrated.then((current) => !current || rule({ ...moment, previous: current }));
  };
}

// A rule that throws fails its turn. That end must be kept, or the session would never be let go.
function failingOnce<Custom>(
  rule: (moment: SnapshotMoment<Custom>) => boolean | Promise<boolean>,
  toMoment: (moment: Parameters<SnapshotRule>[0]) => SnapshotMoment<Custom>,
): SnapshotRule {
  let hasFailed = false;
  const fail = (error: unknown): true => {
    if (hasFailed) return true;
    hasFailed = true;
    throw error;
  };
  return (moment) => {
    try {
      const wanted = rule(toMoment(moment));
      return wanted instanceof Promise ? wanted.catch(fail) : wanted;
    } catch (error) {
      return fail(error);
    }
  };
}
