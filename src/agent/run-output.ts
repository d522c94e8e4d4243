import { changedContent } from "../ledger/index.ts";
import type { AgentOutput, SessionSnapshot, SessionState } from "../protocol/index.ts";
import type { RunOutcome } from "./agent-run.ts";
import type { ClientView } from "./client-view.ts";

export interface OutputOptions<Custom> {
  readonly sessionId: string;
  readonly view: ClientView<Custom>;
  /** Makes the state ready for a client to carry; absent where a store keeps it. */
  readonly carry?: (state: SessionState<Custom>) => Promise<SessionState<Custom>>;
  /** The state that the caller sent. */
  readonly sent?: SessionState<Custom>;
}

/** How a run came out, as its caller may see it. */
export async function outputOfRun<Custom>(
  { content, snapshotId, message, artifacts = [], finishReason, error }: RunOutcome,
  { sessionId, view, carry, sent }: OutputOptions<Custom>,
): Promise<AgentOutput<Custom>> {
  // A run that could not start leaves its caller with what was sent, and has no session to name.
  if (content === undefined) return { ...(sent && { state: sent }), ...endOf(finishReason, error) };
  // With the rest of the state, by which a transform may decide what of the answer is shown.
  const messages = message ? [message] : [];
  const shown = changedContent(content, { messages, artifacts });
  const answer = view.transformsState ? await view.stateOf(shown) : view.rawStateOf(shown);
  const state = carry && (await view.stateOf(content));
  return {
    sessionId,
    ...(snapshotId !== undefined && { snapshotId }),
    ...(state && { state: await carry(state) }),
    ...answerOf(answer),
    ...endOf(finishReason, error),
  };
}

/** What a turn that ended earlier came out as. */
export function outputOfSnapshot<Custom>(snapshot: SessionSnapshot<Custom>): AgentOutput<Custom> {
  const { sessionId, snapshotId, state, finishReason, error } = snapshot;
  return {
    ...(sessionId !== undefined && { sessionId }),
    snapshotId,
    ...answerOf(state),
    ...(finishReason !== undefined && { finishReason }),
    ...(error && { error }),
  };
}

function endOf(
  finishReason: RunOutcome["finishReason"],
  error: RunOutcome["error"],
): Pick<AgentOutput, "finishReason" | "error"> {
  return { ...(finishReason !== undefined && { finishReason }), ...(error && { error }) };
}

function answerOf<Custom>(
  state: SessionState<Custom> | undefined,
): Pick<AgentOutput, "message" | "artifacts"> {
  const message = state?.messages?.at(-1);
  const artifacts = state?.artifacts ?? [];
  return { ...(message && { message }), ...(artifacts.length > 0 && { artifacts }) };
}
