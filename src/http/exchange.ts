import type { CallOptions, LocalAgent, ReadOptions } from "../agent/index.ts";
import { type Clock, hashText, type Ports } from "../ledger/index.ts";
import { type AgentOutput, type Json, TurnkeepError } from "../protocol/index.ts";
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
import { readJson } from "./read-body.ts";
import { type StreamKind, streamResponse } from "./stream-response.ts";

/** An agent as it is served: whatever its state is. */
export type ServedAgent = LocalAgent<never>;

/** What all requests share. */
export interface Services {
  readonly agents: ReadonlyMap<string, ServedAgent>;
  readonly limits: HttpLimits;
  readonly allowance: Allowance;
  readonly ports: Ports;
  readonly clock: Clock;
  /** Is told of what clients are not told. */
  readonly report: (error: unknown, requestId: string) => void;
}

export interface ExchangeOptions {
  readonly requestId: string;
  readonly url: URL;
  readonly caller: Caller;
  readonly services: Services;
  readonly names: ReadonlyMap<string, string>;
}

/** One request that was let in, on its way to an answer. */
export class Exchange {
  readonly request: Request;
  readonly requestId: string;
  readonly url: URL;
  readonly caller: Caller;
  readonly services: Services;
  /** Aborts when nobody is there any more for the answer. */
  readonly gone: AbortSignal;
  readonly #names: ReadonlyMap<string, string>;
  readonly #ended = new AbortController();
  #closeStream: () => void = () => {};

  constructor(request: Request, options: ExchangeOptions) {
    this.request = request;
    this.requestId = options.requestId;
    this.url = options.url;
    this.caller = options.caller;
    this.services = options.services;
    this.#names = options.names;
    this.gone = AbortSignal.any([request.signal, this.#ended.signal]);
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

  /** Counts an input. @throws TurnkeepError RESOURCE_EXHAUSTED when there were too many. */
  countSubmission(): void {
    this.services.allowance.submit(this.caller.name);
  }

  /** Counts a stream, before anything is done for it. @throws TurnkeepError RESOURCE_EXHAUSTED when too many are open. */
  openStream(): void {
    this.#closeStream = this.services.allowance.openStream(this.caller.name);
  }

  /** The answer as a stream. It was counted before. */
  stream(pieces: AsyncIterable<string>, kind: StreamKind): Response {
    const { limits, ports } = this.services;
    const onEnd = (): void => this.end();
    return streamResponse(pieces, { ...kind, limits, timers: ports.timers, onEnd });
  }

  /** There will be nothing more of the answer. */
  end(): void {
    this.#closeStream();
    this.#ended.abort(null);
  }

  /** The error as the client is told it; what it is not told goes to the server's log. */
  tell(error: unknown): ClientError & { readonly requestId: string } {
    const told = toClientError(error);
    if (isUntold(told)) this.services.report(error, this.requestId);
    return { ...told, requestId: this.requestId };
  }

  /** The output as the client is shown it; what it is not told goes to the server's log. */
  show(output: AgentOutput<never>): AgentOutput<never> {
    const { error } = output;
    if (error && isHidden(error)) this.services.report(toError(error), this.requestId);
    return shownOutput(output);
  }

  // A new session is found again when the request that asks for it is sent again.
  #sessionFor(start: CallOptions<never>, requestId: string): Pick<CallOptions, "sessionId"> {
    if (!this.isKept || start.sessionId !== undefined || start.snapshotId !== undefined) return {};
    const asked = JSON.stringify([this.agent.name, this.caller.principal ?? null, requestId]);
    return { sessionId: hashText(asked) };
  }
}
