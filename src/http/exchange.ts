import type { CallOptions, ReadOptions } from "../agent/index.ts";
import { type Clock, hashText, type Ports } from "../ledger/index.ts";
import { type AgentOutputData, type Json, TurnkeepError } from "../protocol/index.ts";
import type { Allowance } from "./allowance.ts";
import {
  type ClientError,
  isHidden,
  isUntold,
  shownOutput,
  toClientError,
  toError,
} from "./client-error.ts";
import type { HttpLimits } from "./http-limits.ts";
import type { Caller } from "./identity.ts";
import { StreamAnswer } from "./answer.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { readJson } from "./read-body.ts";
import type { ServedAgent, ServedAgents } from "./served-agents.ts";
import type { StreamKind, TextStream } from "./text-stream.ts";

/** What all requests share. */
export interface Services {
  readonly agents: ServedAgents;
  readonly limits: HttpLimits;
  readonly allowance: Allowance;
  readonly ports: Ports;
  readonly clock: Clock;
  /** Is told of what clients are not told. */
  readonly report: (error: unknown, requestId: string) => void;
}

/** What is known of a request by the time its route was found. */
export interface ExchangeOptions {
  readonly requestId: string;
  readonly url: URL;
  readonly caller: Caller;
  readonly services: Services;
  readonly names: ReadonlyMap<string, string>;
}

/** One request that was let in, on its way to an answer. */
export class Exchange {
  readonly request: IncomingRequest;
  readonly requestId: string;
  readonly url: URL;
  readonly caller: Caller;
  readonly services: Services;
  readonly #names: ReadonlyMap<string, string>;
  #isGone = false;
  #gone: AbortController | undefined;
  #closeStream: () => void = () => {};

  constructor(request: IncomingRequest, options: ExchangeOptions) {
    this.request = request;
    this.requestId = options.requestId;
    this.url = options.url;
    this.caller = options.caller;
    this.services = options.services;
    this.#names = options.names;
    request.onGone(() => this.#leave());
  }

  /** Aborts when nobody is there any more for the answer. Made only for those who ask. */
  get gone(): AbortSignal {
    if (this.#gone === undefined) {
      this.#gone = new AbortController();
      if (this.#isGone) this.#gone.abort(null);
    }
    return this.#gone.signal;
  }

  /** What stands at a place of the path. */
  named(place: string): string {
    return this.#names.get(place) ?? "";
  }

  /** @throws TurnkeepError NOT_FOUND. */
  get agent(): ServedAgent {
    const agent = this.services.agents.get(this.named("agent"));
    if (agent) return agent;
    throw new TurnkeepError("NOT_FOUND", "There is nothing here.");
  }

  /** Whether runs are kept, so that somebody can come back for them. */
  get isKept(): boolean {
    return this.agent.metadata.stateManagement === "server";
  }

  /** @throws TurnkeepError UNIMPLEMENTED for agents whose clients carry the state. */
  get keepingAgent(): ServedAgent {
    const { agent } = this;
    if (this.isKept) return agent;
    throw new TurnkeepError(
      "UNIMPLEMENTED",
      `Agent '${agent.name}' has no store, so there is nothing kept of its runs.`,
    );
  }

  /** Who reads. */
  get reader(): ReadOptions {
    const { tenant, context } = this.caller;
    return { context, ...(tenant !== undefined && { tenant }) };
  }

  /** Who sends, and how the run starts. */
  callWith(start: CallOptions<never>): CallOptions<never> {
    const { principal } = this.caller;
    const requestId = start.requestId ?? this.request.headers.get("idempotency-key") ?? undefined;
    return {
      ...start,
      ...this.reader,
      ...(principal !== undefined && { principal }),
      ...(requestId !== undefined && { requestId, ...this.#sessionFor(start, requestId) }),
      // What nobody can come back for ends with the one who asked for it.
      ...(!this.isKept && { signal: this.gone }),
    };
  }

  async json(): Promise<Json> {
    return await readJson(this.request, this.services.limits, this.services.ports.timers);
  }

  /** Whether the answer is to be streamed. */
  get wantsStream(): boolean {
    const accept = this.request.headers.get("accept")?.toLowerCase() ?? "";
    return accept.includes("text/event-stream") || this.url.searchParams.get("stream") === "true";
  }

  /** Counts a run until the returned function is called. @throws TurnkeepError RESOURCE_EXHAUSTED when too many are under way. */
  beginRun(): () => void {
    return this.services.allowance.beginRun(this.caller.name);
  }

  /** Counts a stream until its answer has ended, or the returned function is called, before anything is done for it. @throws TurnkeepError RESOURCE_EXHAUSTED when too many are open. */
  openStream(): () => void {
    this.#closeStream = this.services.allowance.openStream(this.caller.name);
    return this.#closeStream;
  }

  /** The answer as a stream, which was counted before, and what is said in it. */
  stream(say: (stream: TextStream) => Promise<void>, kind: StreamKind): StreamAnswer {
    const { limits, ports } = this.services;
    const onEnd = (): void => this.end();
    const answer = new StreamAnswer({ kind, limits, timers: ports.timers, onEnd });
    const { stream } = answer;
    say(stream).then(
      () => stream.end(),
      (error: Error) => stream.fail(error),
    );
    return answer;
  }

  /** There will be nothing more of the answer. */
  end(): void {
    this.#closeStream();
    this.#leave();
  }

  /** The error as the client is told it; what it is not told goes to the server's log. */
  tell(error: unknown): ClientError & { readonly requestId: string } {
    const told = toClientError(error);
    // What waits for something is stopped with `null` when nobody is there any more: nothing has failed.
    const isLeaving = this.#isGone && error === null;
    if (isUntold(told) && !isLeaving) this.services.report(error, this.requestId);
    return { ...told, requestId: this.requestId };
  }

  /** The output as the client is shown it; what it is not told goes to the server's log. */
  show(output: AgentOutputData<never>): AgentOutputData<never> {
    const { error } = output;
    if (error && isHidden(error)) this.services.report(toError(error), this.requestId);
    return shownOutput(output);
  }

  #leave(): void {
    this.#isGone = true;
    this.#gone?.abort(null);
  }

  // A new session is found again when the request that asks for it is sent again.
  #sessionFor(start: CallOptions<never>, requestId: string): Pick<CallOptions, "sessionId"> {
    const { sessionId, snapshotId, state } = start;
    if (!this.isKept || (sessionId ?? snapshotId ?? state) !== undefined) return {};
    const asked = JSON.stringify([this.agent.name, this.caller.principal ?? null, requestId]);
    return { sessionId: hashText(asked) };
  }
}
