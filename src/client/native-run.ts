import type { AgentOutputData } from "../protocol/index.ts";
import type { RunUpdate } from "./agent-types.ts";
import { errorFrom, type Fields, fieldsOf, parseAnswer, textOf, unsound } from "./answer.ts";
import { outputFrom, updateFrom } from "./check-update.ts";
import type { Line } from "./line.ts";
import type { Patience } from "./patience.ts";
import type { RemoteTurn } from "./remote-turn.ts";
import { type ClientRequest, SILENCE_MS, type Transport } from "./transport.ts";

export interface NativeRunOptions {
  /** The run to read, when it is known. */
  readonly runId?: string;
  /** The last event that was seen. */
  readonly after?: number | undefined;
  /** What starts the run: sent again with the same key as long as nobody knows whether it arrived. */
  readonly submit?: ClientRequest;
  /** Whether the server keeps the run, so that one can come back for it. It does, unless told. */
  readonly isKept?: boolean;
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the trying, while nothing was taken in yet. */
  readonly giveUp?: AbortSignal | undefined;
}

/** A run on a server of ours, read across lost connections: each event once and in order. */
export class NativeRun<Custom, Output> implements RemoteTurn<Custom, Output> {
  runId: string;
  sessionId = "";
  readonly #transport: Transport;
  readonly #options: NativeRunOptions;
  readonly #left = new AbortController();
  readonly #updates: AsyncGenerator<RunUpdate | undefined, AgentOutputData<Custom, Output>>;
  #last: number;

  constructor(transport: Transport, options: NativeRunOptions) {
    this.#transport = transport;
    this.#options = options;
    this.runId = options.runId ?? "";
    this.#last = options.after ?? 0;
    this.#updates = this.#follow();
  }

  async start(): Promise<void> {
    await this.#updates.next();
    if (this.runId === "") throw unsound();
  }

  async *updates(): AsyncGenerator<RunUpdate, AgentOutputData<Custom, Output>> {
    try {
      for (;;) {
        const { done, value } = await this.#updates.next();
        // Nothing more is known of a run that was left.
        if (done) return value ?? { finishReason: "aborted" };
        if (value) yield value;
      }
    } finally {
      this.leave();
    }
  }

  async abort(): Promise<void> {
    await this.#transport.json(`${this.#path}/abort`, { method: "POST", json: {} });
  }

  leave(): void {
    this.#left.abort(null);
    // One that nobody asks any more would hold its connection.
    this.#updates.return({}).catch(() => {});
  }

  get #path(): string {
    return `/runs/${encodeURIComponent(this.runId)}`;
  }

  // Over as many connections as it takes. Gives `undefined` when the run is known, then its updates.
  async *#follow(): AsyncGenerator<RunUpdate | undefined, AgentOutputData<Custom, Output>> {
    const { isKept, signal, giveUp } = this.#options;
    const left = this.#left.signal;
    const until = signal ? AbortSignal.any([signal, left]) : left;
    const patience = this.#transport.patience(isKept);
    for (;;) {
      try {
        const output = yield* this.#read(await this.#connect(until), patience);
        if (output) return output;
        throw new Error("The connection was lost.");
      } catch (error) {
        await patience.pause(error, this.runId === "" ? giveUp : until).catch((final: unknown) => {
          if (!left.aborted) throw final;
        });
        // Nobody waits for the end.
        if (left.aborted) return { finishReason: "aborted" };
      }
    }
  }

  // One connection, up to the output or to where it breaks off.
  async *#read(
    line: Line,
    patience: Patience,
  ): AsyncGenerator<RunUpdate | undefined, AgentOutputData<Custom, Output> | undefined> {
    for await (const { event, data, id } of line.messages()) {
      const value = fieldsOf(parseAnswer(data));
      if (event === "error") throw errorFrom(value, 500);
      if (event === "result") return outputFrom<Custom, Output>(value);
      if (event === "run" && this.#isFirst(value)) yield undefined;
      if (event !== "update") continue;
      const update = updateFrom(value, id, this.runId);
      if (this.#isSeen(update)) continue;
      patience.renew();
      yield update;
    }
    return undefined;
  }

  async #connect(signal: AbortSignal): Promise<Line> {
    const { submit } = this.#options;
    const isNew = this.runId === "";
    return await this.#transport.open(isNew ? "/runs" : `${this.#path}/events`, {
      ...(isNew && submit),
      headers: {
        accept: "text/event-stream",
        ...(isNew && submit?.headers),
        ...(this.#last > 0 && { "last-event-id": `${this.runId}.${this.#last}` }),
      },
      signal,
      silenceMs: SILENCE_MS,
    });
  }

  #isFirst({ runId, sessionId }: Fields): boolean {
    const isFirst = this.runId === "";
    // Whatever comes back as another run is not what was asked for.
    if (!isFirst && runId !== this.runId) throw unsound();
    this.runId = textOf(runId);
    this.sessionId = textOf(sessionId);
    return isFirst;
  }

  // What stood in a connection that broke may come again. What is not kept has no number, and never does.
  #isSeen({ seq }: RunUpdate): boolean {
    const isSeen = seq > 0 && seq <= this.#last;
    this.#last = Math.max(this.#last, seq);
    return isSeen;
  }
}
