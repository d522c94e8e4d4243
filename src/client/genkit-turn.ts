import { type AgentOutputData, TurnkeepError } from "../protocol/index.ts";
import type { RunUpdate } from "./agent-types.ts";
import { errorFrom, fieldsOf, parseAnswer } from "./answer.ts";
import { chunkFrom, outputFrom } from "./check-update.ts";
import type { Line } from "./line.ts";
import type { RemoteTurn, TurnRequest } from "./remote-turn.ts";
import type { Transport } from "./transport.ts";

/** One turn on a server that speaks Genkit's protocol. It cannot be come back to: what is lost stays lost. */
export class GenkitTurn<Custom, Output> implements RemoteTurn<Custom, Output> {
  readonly runId: string = "";
  readonly sessionId: string;
  readonly #transport: Transport;
  readonly #request: TurnRequest<Custom>;
  readonly #left = new AbortController();
  #line: Line | undefined;
  #isAborted = false;

  constructor(transport: Transport, request: TurnRequest<Custom>) {
    this.#transport = transport;
    this.#request = request;
    this.sessionId = request.sessionId ?? request.state?.sessionId ?? "";
  }

  async start(): Promise<void> {
    const patience = this.#transport.patience(false);
    const {
      input: data,
      signal,
      onBusy: _,
      requestId: __,
      expectedHead: ___,
      ...init
    } = this.#request;
    while (!this.#line) {
      try {
        this.#line = await this.#transport.open("", {
          method: "POST",
          headers: { accept: "text/event-stream" },
          json: { data, init },
          signal: this.#left.signal,
        });
      } catch (error) {
        await patience.pause(error, signal);
      }
    }
  }

  async *updates(): AsyncGenerator<RunUpdate, AgentOutputData<Custom, Output>> {
    let seq = 0;
    try {
      for await (const { data } of this.#line?.messages() ?? []) {
        const { message, result, error } = fieldsOf(parseAnswer(data));
        if (error !== undefined) throw errorFrom(error, 500);
        if (result !== undefined) return outputFrom<Custom, Output>(result);
        const chunk = chunkFrom(message);
        seq += 1;
        const type = chunk.turnEnd ? "turnEnd" : "chunk";
        // An empty one is a sign of life.
        if (Object.keys(chunk).length > 0) yield { seq, type, chunk };
      }
      throw new TurnkeepError("UNAVAILABLE", "The connection was lost.");
    } catch (error) {
      if (this.#isAborted) return { finishReason: "aborted" };
      throw error;
    } finally {
      this.leave();
    }
  }

  // There is no other way to tell such a server.
  async abort(): Promise<void> {
    this.#isAborted = true;
    this.leave();
  }

  leave(): void {
    this.#left.abort(null);
  }
}
