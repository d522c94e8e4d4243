import {
  type AgentInput,
  agentOutput,
  type AgentOutput,
  type AgentOutputData,
  type AgentStreamChunk,
  type Json,
  type Message,
  onAbort,
  type Resume,
  SendReceipt,
  TurnkeepError,
} from "../protocol/index.ts";
import type { CallOptions, Connection, RunUpdate } from "./agent-types.ts";
import { Channel } from "./channel.ts";
import type { ClientPorts } from "./client-ports.ts";
import type { LiveCustom } from "./live-custom.ts";
import type { Dialect, RemoteTurn, RunName, TurnStart } from "./remote-turn.ts";

export interface RemoteConnectionOptions<Custom, Output> {
  readonly call: CallOptions<Custom>;
  readonly dialect: Dialect<Custom, Output>;
  readonly live: LiveCustom;
  readonly ports: Pick<ClientPorts, "after">;
  /** The snapshot that a run under way will end in. */
  readonly findPending: (run: RunName) => Promise<string | undefined>;
}

/** A conversation over HTTP: every input is a run of its own, on the session that the first one began. */
export class RemoteConnection<Custom, Output, Status = Json> implements Connection<
  Custom,
  Output,
  Status
> {
  readonly done: Promise<void>;
  readonly #options: RemoteConnectionOptions<Custom, Output>;
  readonly #events = new Channel<RunUpdate>();
  readonly #unread: RemoteTurn<Custom, Output>[] = [];
  #start: TurnStart<Custom>;
  #turn: RemoteTurn<Custom, Output> | undefined;
  #sending: Promise<unknown> = Promise.resolve();
  #reading: Promise<void> = Promise.resolve();
  #last: AgentOutputData<Custom, Output> = {};
  #failure: { readonly error: unknown } | undefined;
  readonly #refused: RefusedInput[] = [];
  #isClosed = false;
  #finish: () => void = () => {};

  constructor(options: RemoteConnectionOptions<Custom, Output>) {
    this.#options = options;
    this.#start = options.call;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  get runId(): string {
    return this.#turn?.runId ?? "";
  }

  get sessionId(): string {
    return this.#turn?.sessionId || (this.#start.sessionId ?? this.#last.sessionId ?? "");
  }

  send(input: AgentInput): Promise<void> {
    const sent = this.#isClosed
      ? Promise.reject(connectionOver())
      : this.#sending.then(() => this.#submit(input));
    const settled = sent.catch((error: unknown) => this.#refuse({ receipt, error }));
    if (!this.#isClosed) this.#sending = settled;
    const receipt = new SendReceipt((resolve, reject) => void sent.then(resolve, reject));
    return receipt;
  }

  sendText(text: string): Promise<void> {
    return this.sendMessage({ role: "user", content: [{ text }] });
  }

  sendMessage(message: Message): Promise<void> {
    return this.send({ message });
  }

  sendResume(resume: Resume): Promise<void> {
    return this.send({ resume });
  }

  async detach(): Promise<void> {
    this.close();
    await this.#sending;
    const [turn] = this.#unread;
    if (!turn) return;
    const { sessionId } = this;
    const snapshotId = await this.#options.findPending(turn);
    // It has ended meanwhile: then there is an output like any other.
    if (snapshotId === undefined) return;
    this.#last = { sessionId, snapshotId, finishReason: "detached" };
    for (const unread of this.#unread.splice(0)) unread.leave();
    this.#events.close();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#sending
      .then(() => this.#reading)
      .finally(() => {
        this.#events.close();
        this.#finish();
      });
  }

  async *receive(): AsyncGenerator<AgentStreamChunk<Status>> {
    for await (const { chunk } of this.events()) if (chunk) yield chunk;
  }

  async *events(): AsyncGenerator<RunUpdate<Status>> {
    for await (const update of this.#events.read()) {
      await this.#options.live.take(update);
      yield update as RunUpdate<never>;
    }
  }

  custom(): Custom | undefined {
    return this.#options.live.value as Custom | undefined;
  }

  async output(): Promise<AgentOutput<Custom, Output>> {
    this.close();
    await this.done;
    if (this.#failure) throw this.#failure.error;
    const unseen = this.#refused.find(({ receipt }) => !receipt.isAwaited);
    const { finishReason } = this.#last;
    // A turn that ended badly is the better reason.
    if (unseen && finishReason !== "failed" && finishReason !== "aborted") throw unseen.error;
    return agentOutput({ sessionId: this.sessionId, ...this.#last });
  }

  // Whoever waits for the receipt knows. Nobody else would, and would wait for what never comes.
  #refuse(refused: RefusedInput): void {
    this.#refused.push(refused);
    if (this.#isClosed) return;
    this.#options.ports.after(0, () => {
      if (!refused.receipt.isAwaited) this.#events.fail(refused.error);
    });
  }

  async #submit(input: AgentInput): Promise<void> {
    const { dialect, call } = this.#options;
    const { signal } = call;
    signal?.throwIfAborted();
    // Who names no session may be talking to an agent that keeps none.
    const isKept = call.sessionId !== undefined || call.snapshotId !== undefined;
    const canQueue = dialect.knowsHead && isKept;
    if (!canQueue) await this.#reading;
    const isBehindOwn = this.#unread.length > 0;
    const turn = dialect.turn({
      ...this.#start,
      input,
      ...(signal && { signal }),
      ...(isBehindOwn && { onBusy: "queue" }),
      // The caller's own names one input, and that is the first.
      ...(this.#turn && { requestId: undefined }),
    });
    await turn.start();
    this.#turn = turn;
    if (canQueue) this.#goOn({ sessionId: turn.sessionId });
    this.#unread.push(turn);
    this.#reading = this.#reading.then(() => this.#read(turn));
    if (input.detach) this.close();
  }

  // Of all that was said of the first input, only this counts for the others.
  #goOn(start: TurnStart<Custom>): void {
    this.#start = { ...start, onBusy: this.#options.call.onBusy };
  }

  async #read(turn: RemoteTurn<Custom, Output>): Promise<void> {
    const { signal } = this.#options.call;
    const abort = (): void => void turn.abort().catch(() => turn.leave());
    const forget = signal && onAbort(signal, abort);
    try {
      const { output, seq, hasEnded } = await this.#drain(turn);
      if (this.#unread.includes(turn)) {
        // The caller stopped the turn, so that its server was not heard to the end.
        if (!hasEnded && output.finishReason === "aborted") this.#events.push(abortedTurn(seq + 1));
        this.#end(output);
      }
    } catch (error) {
      this.#failure = { error };
      this.#events.fail(error);
    } finally {
      forget?.();
      const index = this.#unread.indexOf(turn);
      if (index >= 0) this.#unread.splice(index, 1);
    }
  }

  #end(output: AgentOutputData<Custom, Output>): void {
    const { state: sent } = this.#start;
    // Whoever carries the state goes on with what was sent.
    this.#last = output.finishReason === "aborted" && sent ? { state: sent, ...output } : output;
    const { state, sessionId, snapshotId } = output;
    // The session may have moved on meanwhile; a server of ours then goes on at its head.
    const place = this.#options.dialect.knowsHead ? { sessionId } : { snapshotId };
    const start = state ? { state } : place;
    // A turn that could not start leaves things as they were.
    if (Object.values(start)[0] !== undefined) this.#goOn(start);
  }

  async #drain(turn: RemoteTurn<Custom, Output>): Promise<DrainedTurn<Custom, Output>> {
    const updates = turn.updates();
    let seq = 0;
    let hasEnded = false;
    for (;;) {
      const { done, value } = await updates.next();
      if (done) return { output: value, seq, hasEnded };
      seq = value.seq;
      hasEnded ||= value.type === "turnEnd";
      // The log ends with it; those who are connected see the turn end.
      if (value.type !== "runEnd") this.#events.push(value);
    }
  }
}

/** A turn that was read as far as it goes. */
interface DrainedTurn<Custom, Output> {
  readonly output: AgentOutputData<Custom, Output>;
  /** Of the last event. */
  readonly seq: number;
  readonly hasEnded: boolean;
}

function abortedTurn(seq: number): RunUpdate {
  return { seq, type: "turnEnd", chunk: { turnEnd: { finishReason: "aborted" } } };
}

/** An input that was not accepted, and what its sender holds. */
interface RefusedInput {
  readonly receipt: SendReceipt;
  readonly error: unknown;
}

function connectionOver(): TurnkeepError {
  return new TurnkeepError("FAILED_PRECONDITION", "The connection is closed.", {
    reason: "RUN_OVER",
  });
}
