import { changedContent, type SessionContent } from "../ledger/index.ts";
import type {
  AgentOutput,
  Json,
  Message,
  SessionSnapshot,
  SessionState,
} from "../protocol/index.ts";
import type { RunOutcome } from "./agent-run.ts";
import type { ClientView } from "./client-view.ts";

export interface OutputOptions<Custom> {
  readonly sessionId: string;
  readonly view: ClientView<Custom>;
  /** Makes the state ready for a client to carry; absent where a store keeps it. */
  readonly carry?: (state: SessionState<Custom>) => Promise<SessionState<Custom>>;
  readonly readOutput?: ReadOutput;
  /** The state that the caller sent. */
  readonly sent?: SessionState<Custom>;
}

type ReadOutput = (message: Message) => Promise<Json | undefined> | Json | undefined;

/** How a run came out, as its caller may see it. */
export async function outputOfRun<Custom, Output>(
  { content, snapshotId, message, artifacts = [], finishReason, error }: RunOutcome,
  { sessionId, view, carry, readOutput, sent }: OutputOptions<Custom>,
): Promise<AgentOutput<Custom, Output>> {
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
    ...(state && { state: await carry(withVersion(state, content)) }),
    ...answerOf<Custom, Output>(answer, await readFrom(answer, readOutput)),
    ...endOf(finishReason, error),
  };
}

// Whatever a transform made of it, the client brings it back to be read by its version.
function withVersion<Custom>(
  state: SessionState<Custom>,
  { stateVersion }: SessionContent,
): SessionState<Custom> {
  return stateVersion === undefined ? state : { ...state, stateVersion };
}

/** What a turn that ended earlier came out as. */
export async function outputOfSnapshot<Custom, Output>(
  snapshot: SessionSnapshot<Custom>,
  readOutput?: ReadOutput,
): Promise<AgentOutput<Custom, Output>> {
  const { sessionId, snapshotId, state, finishReason, error } = snapshot;
  return {
    ...(sessionId !== undefined && { sessionId }),
    snapshotId,
    ...answerOf<Custom, Output>(state, await readFrom(state, readOutput)),
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

function answerOf<Custom, Output>(
  state: SessionState<Custom> | undefined,
  output: Json | undefined,
): Pick<AgentOutput<Custom, Output>, "message" | "artifacts" | "output"> {
  const message = state?.messages?.at(-1);
  const artifacts = state?.artifacts ?? [];
  return {
    ...(message && { message }),
    ...(artifacts.length > 0 && { artifacts }),
    ...(output !== undefined && { output: output as Output }),
  };
}

function readFrom<Custom>(
  state: SessionState<Custom> | undefined,
  readOutput: ReadOutput | undefined,
): Promise<Json | undefined> | Json | undefined {
  const message = state?.messages?.at(-1);
  return message && readOutput?.(message);
}
