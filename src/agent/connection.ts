import type { NumberedEvent } from "../ledger/index.ts";
import {
  type AgentInput,
  type AgentOutput,
  type AgentStreamChunk,
  applyPatch,
  type Json,
  type Message,
  parseAgentInput,
  type Resume,
  TurnkeepError,
} from "../protocol/index.ts";
import type { AgentRun } from "./agent-run.ts";
import type { ClientView, RunUpdate } from "./client-view.ts";
import { InputChannel } from "./input-channel.ts";
import { toPublicId } from "./public-id.ts";
import { StoredRun } from "./stored-run.ts";

export interface ConnectionOptions<Custom> {
  readonly run: AgentRun<Custom>;
  readonly view: ClientView<Custom>;
  /** Events that may wait to be received. */
  readonly mostWaiting: number;
  readonly outputOf: (view: ClientView<Custom>) => Promise<AgentOutput<Custom>>;
}

/** An open run: send inputs, receive what comes of them. */
export class AgentConnection<Custom = Json> {
  readonly runId: string;
  readonly sessionId: string;
  /** Resolves when the run is over. */
  readonly done: Promise<void>;
  readonly #options: ConnectionOptions<Custom>;
  readonly #events: InputChannel<NumberedEvent>;
  #custom: Json | undefined;
  #output: Promise<AgentOutput<Custom>> | undefined;
  #detached: { readonly snapshotId: string } | undefined;

  constructor(options: ConnectionOptions<Custom>) {
    this.#options = options;
    const { keeper, outcome } = options.run;
    this.sessionId = keeper.sessionId;
    this.runId = toPublicId({ sessionId: keeper.sessionId, id: keeper.runId });
    this.#events = new InputChannel<NumberedEvent>({ limit: options.mostWaiting });
    keeper.subscribe((event) => this.#take(event));
    this.done = outcome.then(
      () => this.#events.close(),
      (error: unknown) => this.#events.fail(error),
    );
  }

  /**
   * Resolves when the input is taken in; with a store, it is durable then.
   *
   * @throws TurnkeepError INVALID_ARGUMENT for a malformed input, FAILED_PRECONDITION after the end, ABORTED when the session is busy.
   */
  async send(input: AgentInput): Promise<void> {
    if (this.#detached) throw connectionOver();
    await this.sendParsed(parseAgentInput(input));
  }

  /** @internal Like `send`, for an input that was parsed already. */
  sendParsed(input: AgentInput): Promise<void> {
    const { run } = this.#options;
    return input.detach ? this.#sendDetaching(input) : run.submit(input);
  }

  async sendText(text: string): Promise<void> {
    await this.send({ message: { role: "user", content: [{ text }] } });
  }

  async sendMessage(message: Message): Promise<void> {
    await this.send({ message });
  }

  async sendResume(resume: Resume): Promise<void> {
    await this.send({ resume });
  }

  /** Lets the run go on by itself and closes the connection. `output` then names the snapshot it will end in. */
  async detach(): Promise<void> {
    const { run } = this.#options;
    if (!(run.keeper instanceof StoredRun)) throw detachNeedsStore();
    run.closeInputs();
    const snapshotId = await run.keeper.detach();
    if (snapshotId === undefined) return;
    this.#detached = { snapshotId };
    this.#events.close();
  }

  /** Nothing more will be sent. */
  close(): void {
    this.#options.run.closeInputs();
  }

  /** What the agent streams. Breaking out of the loop ends nothing: the next one goes on where this one stopped. */
  async *receive(): AsyncGenerator<AgentStreamChunk> {
    for await (const { chunk } of this.events()) if (chunk) yield chunk;
  }

  /** Like `receive`, with all events and their ids. */
  async *events(): AsyncGenerator<RunUpdate> {
    for (;;) {
      const { done, value } = await this.#events.next();
      if (done) return;
      const update = await this.#options.view.updateOf(value);
      const patch = update.chunk?.customPatch;
      if (patch) this.#custom = applyPatch(this.#custom ?? null, patch);
      yield update;
    }
  }

  /** The custom state as far as it was received. */
  custom(): Custom | undefined {
    return this.#custom as Custom | undefined;
  }

  /** Closes the input side, waits for the run to end and says how it did. The same each time it is asked. */
  output(): Promise<AgentOutput<Custom>> {
    this.close();
    this.#output ??= this.#settle();
    return this.#output;
  }

  #settle(): Promise<AgentOutput<Custom>> {
    const { sessionId } = this;
    return this.#detached
      ? Promise.resolve({ sessionId, ...this.#detached, finishReason: "detached" as const })
      : this.#options.outputOf(this.#options.view);
  }

  async #sendDetaching(input: AgentInput): Promise<void> {
    const { run } = this.#options;
    if (!(run.keeper instanceof StoredRun)) throw detachNeedsStore();
    await run.submit(input);
    await this.detach();
  }

  // A reader that is too far behind loses its place, never the run its pace; `attach` reads on from any event.
  #take(event: NumberedEvent): void {
    if (this.#detached || this.#events.offer(event)) return;
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
