import type { NumberedEvent, Timers } from "../ledger/index.ts";
import {
  type AgentInput,
  agentOutput,
  type AgentOutput,
  type AgentStreamChunk,
  applyPatch,
  type Json,
  type Message,
  parseAgentInput,
  type Resume,
  SendReceipt,
  TurnkeepError,
} from "../protocol/index.ts";
import type { Connection } from "./agent.ts";
import type { AgentRun } from "./agent-run.ts";
import type { ClientView, RunUpdate } from "./client-view.ts";
import { InputChannel } from "./input-channel.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { toPublicId } from "./public-id.ts";
import type { EventStream } from "./run-keeper.ts";
import { StoredRun } from "./stored-run.ts";
import type { SpanName } from "./telemetry.ts";

export interface ConnectionOptions<Custom, Output> {
  readonly run: AgentRun<Custom>;
  readonly view: ClientView<Custom>;
  readonly timers: Timers;
  /** Events that may wait to be received. */
  readonly mostWaiting: number;
  /** Goes with the first input. */
  readonly promptInput?: Json;
  readonly checkInput?: (input: AgentInput) => Promise<void> | void;
  /** Told when the run is over, however it ended. */
  readonly over?: () => void;
  readonly outputOf: (view: ClientView<Custom>) => Promise<AgentOutput<Custom, Output>>;
}

/** Is told what came; whether it wants more. */
type Listener = (updates: readonly RunUpdate[]) => boolean;

/** An open run: send inputs, receive what comes of them. */
export class AgentConnection<Custom = Json, Output = Json, Status = Json> implements Connection<
  Custom,
  Output,
  Status
> {
  readonly runId: string;
  readonly sessionId: string;
  /** Resolves when the run is over. */
  readonly done: Promise<void>;
  readonly #options: ConnectionOptions<Custom, Output>;
  readonly #events: InputChannel<NumberedEvent>;
  readonly #sends = new OneAtATime();
  readonly #refused: RefusedInput[] = [];
  #listener: ((events: readonly NumberedEvent[]) => void) | undefined;
  #custom: Json | undefined;
  #isClosed = false;
  #isUsed = false;
  /** Why nothing more is shown. */
  #hidden: { readonly error: unknown } | undefined;
  #isLeaving = false;
  /** What came while it was leaving. */
  readonly #held: NumberedEvent[] = [];
  /** The last seq that this process told. */
  #seen = 0;
  /** Reads the rest of the run from its log. */
  #reading: Promise<void> | undefined;
  /** Nobody wants to know the rest. */
  #left: AbortController | undefined;
  #output: Promise<AgentOutput<Custom, Output>> | undefined;
  #detached: { readonly snapshotId: string } | undefined;

  constructor(options: ConnectionOptions<Custom, Output>) {
    this.#options = options;
    const { keeper, outcome } = options.run;
    this.sessionId = keeper.sessionId;
    this.runId = toPublicId({ sessionId: keeper.sessionId, id: keeper.runId });
    this.#events = new InputChannel<NumberedEvent>({ limit: options.mostWaiting });
    keeper.subscribe((events) => this.#hear(events));
    options.run.onLost = () => this.#readOn();
    // Whoever waits for the output sees its failure; a run nobody waits for must not bring the process down.
    this.done = outcome.then(
      () => this.#over(undefined),
      (error: unknown) => this.#over({ error }),
    );
  }

  /**
   * Takes its place in the order of inputs at once. Resolves when the input is accepted; with a store, it is durable then. `output` reports the error of an
   * input that was refused, unless somebody waits for this.
   *
   * @throws TurnkeepError INVALID_ARGUMENT for a malformed input, FAILED_PRECONDITION after the end, ABORTED when the session is busy.
   */
  send(input: AgentInput): Promise<void> {
    const read = this.#read(input);
    return this.#enqueue(async () => await this.sendParsed(read()));
  }

  /** @internal Like `send`, for an input that was parsed already and the only one. */
  sendParsed(input: AgentInput): Promise<void> {
    const { run, checkInput, promptInput } = this.#options;
    return checkInput || promptInput !== undefined || input.detach
      ? this.#sendComplete(input)
      : run.submit(input);
  }

  /** The span of the run; absent when no OpenTelemetry SDK records it. */
  get span(): SpanName | undefined {
    return this.#options.run.span;
  }

  /** Whether the run could start: a snapshot to go on at may be missing. `output` says why not. */
  get hasStarted(): Promise<boolean> {
    return this.#options.run.started;
  }

  sendText(text: string): Promise<void> {
    return this.send({ message: { role: "user", content: [{ text }] } });
  }

  sendMessage(message: Message): Promise<void> {
    return this.send({ message });
  }

  sendResume(resume: Resume): Promise<void> {
    return this.send({ resume });
  }

  /** Lets the run go on by itself, with what was sent so far, and closes the connection. `output` then names the snapshot it will end in. */
  detach(): Promise<void> {
    const detached = this.#enqueue(async () => {
      const { keeper } = this.#options.run;
      if (!(keeper instanceof StoredRun)) throw detachNeedsStore();
      await this.#leaveTo(keeper);
    });
    this.close();
    return detached;
  }

  /** Nothing more will be sent. What was sent before still is. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { run } = this.#options;
    const sending = this.#sends.settled;
    if (sending) void sending.then(() => run.closeInputs());
    else run.closeInputs();
  }

  /** What the agent streams. Breaking out of the loop ends nothing: the next one goes on where this one stopped. */
  async *receive(): AsyncGenerator<AgentStreamChunk<Status>> {
    for await (const { chunk } of this.events()) if (chunk) yield chunk;
  }

  /** Like `receive`, with all events and their ids. */
  async *events(): AsyncGenerator<RunUpdate<Status>> {
    for (;;) {
      const { done, value } = await this.#events.next();
      if (done) return;
      const update = await this.#options.view.updateOf(value).catch(this.#hide);
      this.#note(update);
      yield update as RunUpdate<never>;
    }
  }

  /** @internal Passes on what comes, as it comes, until the run is over or the listener wants no more. Nothing is kept to be received meanwhile. */
  follow(listener: Listener): Promise<void> {
    return this.#options.view.transforms
      ? this.#followShown(listener)
      : this.#followRaw(listener).finally(() => (this.#listener = ignore));
  }

  /** @internal Nobody will receive anything, so nothing is kept to be received. */
  receiveNothing(): void {
    this.#listener = ignore;
    this.#events.takeWaiting();
    this.#left?.abort(null);
  }

  /** The custom state as far as it was received. */
  custom(): Custom | undefined {
    return this.#custom as Custom | undefined;
  }

  /** Closes the input side, waits for what was sent and for the run to end, and says how it did. The same each time it is asked. */
  output(): Promise<AgentOutput<Custom, Output>> {
    this.close();
    const { view, outputOf } = this.#options;
    const isSent = this.#sends.settled === undefined && this.#refused.length === 0;
    const isPlain = isSent && !this.#detached && !view.transforms;
    this.#output ??= isPlain ? outputOf(view) : this.#settle();
    return this.#output;
  }

  // As it is now: its sender may change it before its turn comes.
  #read(input: AgentInput): () => AgentInput {
    try {
      if (this.#isClosed || this.#detached) throw connectionOver();
      const parsed = parseAgentInput(input);
      return () => parsed;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  #enqueue(send: () => Promise<void>): Promise<void> {
    const sent = this.#sends.run(send);
    const receipt = new SendReceipt((resolve, reject) => void sent.then(resolve, reject));
    sent.catch((error: unknown) => this.#refuse({ receipt, error }));
    return receipt;
  }

  // Whoever waits for the receipt knows. Nobody else would, and would wait for what never comes.
  #refuse(refused: RefusedInput): void {
    this.#refused.push(refused);
    if (this.#isClosed) return;
    this.#options.timers.after(0, () => {
      if (!refused.receipt.isAwaited) this.#events.fail(refused.error);
    });
  }

  #followRaw(listener: Listener): Promise<void> {
    const { view } = this.#options;
    return new Promise((resolve, reject) => {
      const pass = (events: readonly NumberedEvent[]): void => {
        // Whatever befalls the reader does not reach the run.
        try {
          if (!listener(view.rawUpdatesOf(events))) resolve();
        } catch (error) {
          reject(error);
        }
      };
      this.#listener = pass;
      const waiting = this.#events.takeWaiting();
      if (waiting.length > 0) pass(waiting);
      // Nothing waits from here on, so that this is the end.
      this.#events.next().then(() => resolve(), reject);
    });
  }

  async #followShown(listener: Listener): Promise<void> {
    const { view } = this.#options;
    for (;;) {
      const { done, value } = await this.#events.next();
      if (done) return;
      const events = [value, ...this.#events.takeWaiting()];
      if (listener(await view.updatesOf(events).catch(this.#hide))) continue;
      this.#listener = ignore;
      return;
    }
  }

  // A transform failed: nothing that comes after is shown.
  readonly #hide = (error: unknown): never => {
    this.#hidden ??= { error };
    this.receiveNothing();
    this.#events.close();
    throw error;
  };

  #over(failure: { readonly error: unknown } | undefined): Promise<void> | void {
    this.#options.over?.();
    this.#readOn();
    const end = (): void => {
      if (failure) this.#events.fail(failure.error);
      else this.#events.close();
    };
    return this.#reading ? this.#reading.then(end) : end();
  }

  // Somebody else writes the end of the run: what they write is read where late readers find it.
  #readOn(): void {
    if (this.#reading || this.#detached || this.#listener === ignore) return;
    this.#left = new AbortController();
    const rest = this.#options.run.keeper.readOn(this.#seen, this.#left.signal);
    if (rest) this.#reading = this.#readAll(rest);
  }

  async #readAll(rest: EventStream): Promise<void> {
    try {
      for await (const events of rest) this.#take(events);
      this.#events.close();
    } catch (error) {
      this.#events.fail(error);
    }
  }

  #hear(events: readonly NumberedEvent[]): void {
    if (this.#reading || this.#detached) return;
    if (this.#isLeaving) {
      this.#held.push(...events);
      return;
    }
    this.#seen = Math.max(this.#seen, events.at(-1)?.seq ?? 0);
    this.#take(events);
  }

  #note({ chunk }: RunUpdate): void {
    if (chunk?.customPatch) this.#custom = applyPatch(this.#custom ?? null, chunk.customPatch);
  }

  async #sendComplete(input: AgentInput): Promise<void> {
    const { run, checkInput } = this.#options;
    const complete = this.#complete(input);
    if (checkInput) await checkInput(complete);
    await (complete.detach ? this.#sendDetaching(complete) : run.submit(complete));
    this.#isUsed = true;
  }

  #complete(input: AgentInput): AgentInput {
    const { promptInput } = this.#options;
    if (this.#isUsed || promptInput === undefined) return input;
    return { ...parseAgentInput({ promptInput }), ...input };
  }

  async #settle(): Promise<AgentOutput<Custom, Output>> {
    const { sessionId } = this;
    await this.#sends.settled;
    if (this.#detached) {
      return agentOutput<Custom, Output>({
        sessionId,
        ...this.#detached,
        finishReason: "detached",
      });
    }
    const output = await this.#options.outputOf(this.#options.view);
    if (this.#hidden) throw this.#hidden.error;
    const unseen = this.#refused.find(({ receipt }) => !receipt.isAwaited);
    // A run that ended badly took nothing more in: then that is the reason.
    const isOver = output.finishReason === "failed" || output.finishReason === "aborted";
    if (unseen && !isOver) throw unseen.error;
    return output;
  }

  async #leaveTo(keeper: StoredRun): Promise<void> {
    this.#options.run.closeInputs();
    const snapshotId = await keeper.detach();
    if (snapshotId === undefined) return;
    this.#detached = { snapshotId };
    this.#events.close();
  }

  async #sendDetaching(input: AgentInput): Promise<void> {
    const { run } = this.#options;
    if (!(run.keeper instanceof StoredRun)) throw detachNeedsStore();
    if (run.keeper.sendsAway) return await this.#sendAway(run.keeper, input);
    // From here on nothing is streamed, though the run may begin before its detaching is durable.
    this.#isLeaving = true;
    // To detach what is under way is no input of its own.
    const isInput = input.message !== undefined || input.resume !== undefined;
    try {
      if (isInput || run.keeper.isIdle) await run.submit(input);
      await this.#leaveTo(run.keeper);
    } finally {
      this.#isLeaving = false;
      // It stays after all.
      this.#hear(this.#held.splice(0));
    }
  }

  async #sendAway(keeper: StoredRun, input: AgentInput): Promise<void> {
    const { run } = this.#options;
    // What cannot start takes nothing in; its outcome says why.
    if (!(await run.started)) return;
    this.#detached = { snapshotId: await keeper.sendAway(input) };
    run.leave();
    this.#events.close();
  }

  // A reader that is too far behind loses its place, never the run its pace; `attach` reads on from any event.
  #take(events: readonly NumberedEvent[]): void {
    if (this.#listener) return this.#listener(events);
    if (events.every((event) => this.#events.offer(event))) return;
    this.#events.fail(
      new TurnkeepError(
        "RESOURCE_EXHAUSTED",
        "Too many chunks wait to be received. Attach to the run to read on.",
        {
          reason: "LIMIT_EXCEEDED",
        },
      ),
    );
  }
}

/** An input that was not accepted, and what its sender holds. */
interface RefusedInput {
  readonly receipt: SendReceipt;
  readonly error: unknown;
}

function ignore(): void {}

function connectionOver(): TurnkeepError {
  return new TurnkeepError("FAILED_PRECONDITION", "The connection is closed.", {
    reason: "RUN_OVER",
  });
}

function detachNeedsStore(): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    "Detach is only supported when a session store is provided.",
  );
}
