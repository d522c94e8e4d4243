import { changedContent, type SessionContent } from "../ledger/index.ts";
import {
  agentOutput,
  type AgentOutput,
  type Json,
  jsonEqual,
  type Message,
  type SessionSnapshot,
  type SessionState,
} from "../protocol/index.ts";
import type { RunOutcome } from "./agent-run.ts";
import type { ClientView, ContentPart } from "./client-view.ts";
import { withArtifact } from "./with-artifact.ts";

export interface OutputOptions<Custom> {
  readonly sessionId: string;
  readonly view: ClientView<Custom>;
  /** Makes the state ready for a client to carry; absent where a store keeps it. */
  readonly carry?: (state: SessionState<Custom>) => Promise<SessionState<Custom>>;
  readonly readOutput?: ReadOutput;
  /** Whether the output holds the whole history. */
  readonly withHistory?: boolean;
  /** The state that the caller sent. */
  readonly sent?: SessionState<Custom>;
}

type ReadOutput = (message: Message) => Promise<Json | undefined> | Json | undefined;

/** How a run came out, as its caller may see it. */
export function outputOfRun<Custom, Output>(
  outcome: RunOutcome,
  options: OutputOptions<Custom>,
): Promise<AgentOutput<Custom, Output>> | AgentOutput<Custom, Output> {
  const { content, finishReason, error, cause } = outcome;
  const { sessionId, view, carry, readOutput, withHistory, sent } = options;
  // A run that could not start leaves its caller with what was sent.
  if (content === undefined) {
    const state = sent && { state: sent };
    return agentOutput({ sessionId, ...state, ...endOf(finishReason, error) }, cause);
  }
  if (view.transformsState || carry) return transformedOutput(outcome, content, options);
  const answer = rawAnswerOf(outcome);
  const reading = readFrom(answer, readOutput);
  const messages = withHistory ? content.messages.all() : undefined;
  const outputFor = (output: Json | undefined): AgentOutput<Custom, Output> =>
    outputWith<Custom, Output>(outcome, options, { answer, messages, output });
  return reading instanceof Promise ? reading.then(outputFor) : outputFor(reading);
}

async function transformedOutput<Custom, Output>(
  outcome: RunOutcome,
  content: SessionContent,
  options: OutputOptions<Custom>,
): Promise<AgentOutput<Custom, Output>> {
  const { view, carry, readOutput, withHistory } = options;
  const answer = view.transformsState
    ? await view.partOf(withAnswer(outcome, content), rawAnswerOf(outcome))
    : rawAnswerOf(outcome);
  const whole = carry || withHistory ? await view.stateOf(content) : undefined;
  const state = whole && (await carry?.(withVersion(whole, content)));
  const output = await readFrom(answer, readOutput);
  const messages = withHistory ? whole?.messages : undefined;
  return outputWith<Custom, Output>(outcome, options, { answer, messages, state, output });
}

// A custom agent may answer with what it did not put into its session.
function withAnswer(
  { message, artifacts = [] }: RunOutcome,
  content: SessionContent,
): SessionContent {
  const { messages } = content;
  const isKnown = message === undefined || messages.all().some((one) => jsonEqual(one, message));
  return changedContent(content, {
    messages: isKnown ? messages : messages.grow([message]),
    artifacts: artifacts.reduce(withArtifact, content.artifacts),
  });
}

function rawAnswerOf({ message, artifacts = [] }: RunOutcome): ContentPart {
  return { messages: message ? [message] : [], artifacts };
}

/** What of a state a run is answered with. */
type Answer = Pick<SessionState, "messages" | "artifacts">;

interface Shown<Custom> {
  readonly answer: Answer | undefined;
  readonly messages?: readonly Message[] | undefined;
  readonly state?: SessionState<Custom> | undefined;
  readonly output?: Json | undefined;
}

function outputWith<Custom, Output>(
  { snapshotId, snapshotIds, finishReason, error, cause }: RunOutcome,
  { sessionId }: OutputOptions<Custom>,
  { answer, messages, state, output }: Shown<Custom>,
): AgentOutput<Custom, Output> {
  const data = {
    sessionId,
    ...(snapshotId !== undefined && { snapshotId }),
    ...(snapshotIds && { snapshotIds }),
    ...(state && { state }),
    ...(messages && { messages }),
    ...answerOf<Output>(answer, output),
    ...endOf(finishReason, error),
  };
  return agentOutput<Custom, Output>(data, cause);
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
  {
    readOutput,
    withHistory,
    snapshotIds,
  }: Pick<OutputOptions<Custom>, "readOutput" | "withHistory"> & {
    readonly snapshotIds: readonly string[];
  },
): Promise<AgentOutput<Custom, Output>> {
  const { sessionId = "", snapshotId, state, finishReason, error } = snapshot;
  return agentOutput<Custom, Output>({
    sessionId,
    snapshotId,
    snapshotIds,
    ...(withHistory && state?.messages && { messages: state.messages }),
    ...answerOf<Output>(state, await readFrom(state, readOutput)),
    ...endOf(finishReason, error),
  });
}

/** What a turn came out as that left no snapshot. */
export function endedOutput<Custom, Output>({
  sessionId = "",
  finishReason,
  error,
}: Pick<SessionSnapshot, "sessionId" | "finishReason" | "error">): AgentOutput<Custom, Output> {
  return agentOutput<Custom, Output>({ sessionId, ...endOf(finishReason, error) });
}

function endOf(
  finishReason: RunOutcome["finishReason"],
  error: RunOutcome["error"],
): Pick<AgentOutput, "finishReason" | "error"> {
  return { ...(finishReason !== undefined && { finishReason }), ...(error && { error }) };
}

function answerOf<Output>(
  state: Answer | undefined,
  output: Json | undefined,
): Pick<AgentOutput<never, Output>, "message" | "artifacts" | "output"> {
  const message = answerIn(state);
  const artifacts = state?.artifacts ?? [];
  return {
    ...(message && { message }),
    ...(artifacts.length > 0 && { artifacts }),
    ...(output !== undefined && { output: output as Output }),
  };
}

function readFrom(
  state: Answer | undefined,
  readOutput: ReadOutput | undefined,
): Promise<Json | undefined> | Json | undefined {
  const message = answerIn(state);
  return message && readOutput?.(message);
}

// What the user said is no answer.
function answerIn(state: Answer | undefined): Message | undefined {
  const last = state?.messages?.at(-1);
  return last?.role === "user" ? undefined : last;
}
