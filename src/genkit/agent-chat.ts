import type {
  AbortResult,
  AgentInput,
  AgentOutput,
  AgentStream,
  CallOptions,
  DetachedRun,
  Json,
  LocalAgent,
  Message,
  SessionState,
} from "../agent/index.ts";
import type { Resume } from "../protocol/index.ts";

/** Where a chat starts. */
export interface ChatStart<Custom = Json, Input = Json> extends Pick<
  CallOptions<Custom, Input>,
  "promptInput" | "context" | "tenant" | "principal" | "onBusy"
> {
  /** Goes on with this session, or starts one of this name. */
  readonly sessionId?: string;
  /** Goes on at this snapshot, as a branch of its own. */
  readonly snapshotId?: string;
  /** The state, for agents without a store. */
  readonly state?: SessionState<Custom>;
}

/** A conversation with an agent that remembers where it is, so that callers pass no session, snapshot or state from turn to turn. */
export interface AgentChat<Custom = Json, Output = Json> {
  /** Absent before the first turn of a new conversation. */
  readonly sessionId: string | undefined;
  /** Where the last turn ended; absent without a store. */
  readonly snapshotId: string | undefined;
  /** Sends a message, or any other input, and waits for the answer. A turn that fails resolves, with `finishReason: "failed"`. */
  readonly send: (input: string | AgentInput) => Promise<AgentOutput<Custom, Output>>;
  /** Like `send`, as it comes. Send the next one when `output` has resolved. */
  readonly sendStream: (input: string | AgentInput) => AgentStream<Custom, Output>;
  /** Answers interrupts: `chat.resume(openInterrupts(output)[0].approve())`. */
  readonly resume: (resume: Resume) => Promise<AgentOutput<Custom, Output>>;
  /** Sends an input that is worked on in the background. */
  readonly detach: (input: string | AgentInput) => Promise<DetachedRun<Custom>>;
  /** Aborts the turn that runs in the background. */
  readonly abort: () => Promise<AbortResult>;
  /** The conversation so far. */
  readonly messages: () => Promise<readonly Message[]>;
}

export function startChat<Custom, Output, Input>(
  agent: LocalAgent<Custom, Output, Input>,
  start: ChatStart<Custom, Input> = {},
): AgentChat<Custom, Output> {
  return new Chat(agent, start);
}

/** @throws TurnkeepError NOT_FOUND when there is no such session or snapshot. */
export async function loadChat<Custom, Output, Input>(
  agent: LocalAgent<Custom, Output, Input>,
  lookup: { readonly snapshotId: string } | { readonly sessionId: string },
): Promise<AgentChat<Custom, Output>> {
  const { sessionId = "", snapshotId } =
    "snapshotId" in lookup
      ? await agent.getSnapshot(lookup.snapshotId)
      : await agent.getLatestSnapshot(lookup.sessionId);
  return new Chat(agent, lookup, { sessionId, snapshotId });
}

class Chat<Custom, Output, Input> implements AgentChat<Custom, Output> {
  readonly #agent: LocalAgent<Custom, Output, Input>;
  readonly #start: ChatStart<Custom, Input>;
  #sessionId: string | undefined;
  #snapshotId: string | undefined;
  #state: SessionState<Custom> | undefined;
  #isStarted = false;

  constructor(
    agent: LocalAgent<Custom, Output, Input>,
    start: ChatStart<Custom, Input>,
    { sessionId, snapshotId }: Pick<ChatStart, "sessionId" | "snapshotId"> = start,
  ) {
    this.#agent = agent;
    this.#start = start;
    this.#sessionId = sessionId;
    this.#snapshotId = snapshotId;
    this.#state = start.state;
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  get snapshotId(): string | undefined {
    return this.#snapshotId;
  }

  readonly send = async (input: string | AgentInput): Promise<AgentOutput<Custom, Output>> =>
    this.#note(await this.#agent.run(inputOf(input), this.#options()));

  readonly sendStream = (input: string | AgentInput): AgentStream<Custom, Output> => {
    const stream = this.#agent.stream(inputOf(input), this.#options());
    const output = stream.output.then((ended) => this.#note(ended));
    output.catch(() => {});
    return { runId: stream.runId, chunks: stream.chunks, output };
  };

  readonly resume = (resume: Resume): Promise<AgentOutput<Custom, Output>> => this.send({ resume });

  readonly detach = async (input: string | AgentInput): Promise<DetachedRun<Custom>> => {
    const run = await this.#agent.detach(inputOf(input), this.#options());
    this.#sessionId = run.sessionId;
    this.#snapshotId = run.snapshotId;
    return run;
  };

  readonly abort = async (): Promise<AbortResult> =>
    this.#snapshotId === undefined ? {} : await this.#agent.abort(this.#snapshotId, this.#reader());

  readonly messages = async (): Promise<readonly Message[]> => {
    if (this.#state) return this.#state.messages ?? [];
    if (this.#snapshotId === undefined && this.#sessionId === undefined) return [];
    const snapshot =
      this.#snapshotId === undefined
        ? await this.#agent.getLatestSnapshot(this.#sessionId ?? "", this.#reader())
        : await this.#agent.getSnapshot(this.#snapshotId, this.#reader());
    return snapshot.state?.messages ?? [];
  };

  // A chat that began at a snapshot stays on its branch; any other goes on with the session.
  #options(): CallOptions<Custom, Input> {
    const { sessionId: _session, snapshotId, state: _state, promptInput, ...more } = this.#start;
    const rest = this.#isStarted || promptInput === undefined ? more : { ...more, promptInput };
    this.#isStarted = true;
    if (this.#state) return { ...rest, state: this.#state };
    if (snapshotId !== undefined) return { ...rest, snapshotId: this.#snapshotId ?? snapshotId };
    return this.#sessionId === undefined ? rest : { ...rest, sessionId: this.#sessionId };
  }

  #reader(): Pick<CallOptions<Custom>, "context" | "tenant"> {
    const { context, tenant } = this.#start;
    return { ...(context && { context }), ...(tenant !== undefined && { tenant }) };
  }

  #note(output: AgentOutput<Custom, Output>): AgentOutput<Custom, Output> {
    const { sessionId, snapshotId, state } = output;
    if (sessionId !== undefined) this.#sessionId = sessionId;
    if (snapshotId !== undefined) this.#snapshotId = snapshotId;
    if (state) this.#state = state;
    return output;
  }
}

function inputOf(input: string | AgentInput): AgentInput {
  return typeof input === "string"
    ? { message: { role: "user", content: [{ text: input }] } }
    : input;
}
