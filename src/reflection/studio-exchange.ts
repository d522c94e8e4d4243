import type { ReadOptions } from "../agent/index.ts";
import {
  Exchange,
  type ExchangeOptions,
  type IncomingRequest,
  type RequestHead,
  sayAll,
  type ServedAgent,
  type StreamAnswer,
  type StreamKind,
  type TextStream,
} from "../http/index.ts";
import { encodeSse, TurnkeepError } from "../protocol/index.ts";
import type { ReflectionOptions } from "./reflection-options.ts";
import type { StreamSeats } from "./stream-seats.ts";
import type { TraceStore } from "./trace-store.ts";

/** An action that runs. */
export interface RunningAction {
  readonly agent: ServedAgent;
  /** Whose it is. */
  readonly tenant: string;
  readonly cancel: () => void;
}

/** What all requests to the reflection API share besides what all requests share. */
export interface StudioServices {
  readonly options: ReflectionOptions;
  readonly seats: StreamSeats;
  /** Where spans are collected; `undefined` when they are not. */
  readonly findTraces: () => TraceStore | undefined;
  /** The actions that run, by the trace that names each. */
  readonly actions: Map<string, RunningAction>;
  /** Where the API is. */
  readonly base: string;
  /** The cookie for whoever has the token. */
  readonly cookieFor: (token: unknown, request: RequestHead) => string;
}

export interface StudioExchangeOptions extends ExchangeOptions {
  readonly studio: StudioServices;
  readonly isReadOnly: boolean;
  /** Whether the caller may see one tenant only. */
  readonly isConfined: boolean;
}

const EVICTED = encodeSse({ event: "evicted", data: "{}" });

/** One request to the reflection API, on its way to an answer. */
export class StudioExchange extends Exchange {
  readonly studio: StudioServices;
  readonly isReadOnly: boolean;
  readonly isConfined: boolean;
  #leaveSeat: () => void = () => {};

  constructor(request: IncomingRequest, options: StudioExchangeOptions) {
    super(request, options);
    this.studio = options.studio;
    this.isReadOnly = options.isReadOnly;
    this.isConfined = options.isConfined;
  }

  override get agent(): ServedAgent {
    const agent = this.services.agents.get(this.named("agent"));
    if (agent) return agent;
    throw new TurnkeepError("NOT_FOUND", `There is no agent '${this.named("agent")}'.`);
  }

  /** @throws TurnkeepError FAILED_PRECONDITION for agents whose clients carry the state. */
  override get keepingAgent(): ServedAgent {
    const { agent } = this;
    if (this.isKept) return agent;
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      `Agent '${agent.name}' has no store, so it keeps no sessions. Provide a 'store' when defining it.`,
    );
  }

  /** The agents that keep sessions; only the one that the query names, if it names one. */
  get keepingAgents(): readonly ServedAgent[] {
    const only = this.url.searchParams.get("agent");
    return this.services.agents
      .list()
      .filter(
        ({ name, metadata }) =>
          metadata.stateManagement === "server" && (only === null || only === name),
      );
  }

  /** Where spans are, for those who may see those of every tenant: they are not kept apart. */
  get traces(): TraceStore | undefined {
    return this.isConfined ? undefined : this.studio.findTraces();
  }

  override get reader(): ReadOptions {
    return { ...super.reader, ...(this.studio.options.revealRaw && { unredacted: true }) };
  }

  /** The answer as a stream, which takes one of the caller's seats; whoever has sat longest leaves when there is none. */
  override stream(say: (stream: TextStream) => Promise<void>, kind: StreamKind): StreamAnswer {
    const answer = super.stream(say, kind);
    const { stream } = answer;
    this.#leaveSeat = this.studio.seats.take(this.caller.name ?? "", () => {
      stream.say(EVICTED);
      stream.end();
    });
    return answer;
  }

  /** The answer as a stream that has an end of its own, and is not made to leave. */
  download(pieces: AsyncIterable<string>, contentType: string): StreamAnswer {
    return super.stream((stream) => sayAll(stream, pieces), { contentType });
  }

  override end(): void {
    this.#leaveSeat();
    super.end();
  }
}
