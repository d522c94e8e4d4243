import type { SessionContent } from "../ledger/index.ts";
import type { SessionState } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { CallContext } from "./call-context.ts";
import type { SnapshotRule } from "./stored-run-options.ts";

/** The agent's rule for keeping snapshots, made ready for one run. */
export function wantsSnapshot<Custom>(
  { options: { snapshotWhen = "always" } }: AgentDefinition<Custom>,
  { sessionId, context }: { readonly sessionId: string; readonly context: CallContext },
): SnapshotRule {
  const stateOf = (content: SessionContent): SessionState<Custom> =>
    ({ sessionId, ...content }) as SessionState<Custom>;
  return ({ event, content, previous, turnIndex }) => {
    if (typeof snapshotWhen === "string") return snapshotWhen === "always";
    if (typeof snapshotWhen === "function") {
      return snapshotWhen({
        event,
        state: stateOf(content),
        previousState: stateOf(previous),
        turnIndex,
        context,
      });
    }
    return snapshotWhen.includes(event);
  };
}
