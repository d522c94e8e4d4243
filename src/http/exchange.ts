import type { CallOptions, LocalAgent, ReadOptions } from "../agent/index.ts";
import type { Clock, Ports } from "../ledger/index.ts";
import { type Json, TurnkeepError } from "../protocol/index.ts";
import type { Allowance } from "./allowance.ts";
import type { HttpLimits } from "./http-limits.ts";
import type { Caller } from "./identity.ts";
import { readJson } from "./read-body.ts";
import { sseResponse } from "./sse-response.ts";

/** An agent as it is served: whatever its state is. */
export type ServedAgent = LocalAgent<never>;

/** What all requests share. */
export interface Services {
  readonly agents: ReadonlyMap<string, ServedAgent>;
  readonly limits: HttpLimits;
  readonly allowance: Allowance;
  readonly ports: Ports;
  readonly clock: Clock;
}

/** One request that was let in, on its way to an answer. */
export class Exchange {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  readonly services: Services;
  readonly #names: ReadonlyMap<string, string>;

  constructor(
    request: Request,
    about: {
      readonly url: URL;
      readonly caller: Caller;
      readonly services: Services;
      readonly names: ReadonlyMap<string, string>;
    },
  ) {
    this.request = request;
    this.url = about.url;
    this.caller = about.caller;
    this.services = about.services;
    this.#names = about.names;
  }

  /** The same request, as if something else stood at a place of its path. */
  at(place: string, name: string): Exchange {
    const { url, caller, services } = this;
    const names = new Map([...this.#names, [place, name]]);
    return new Exchange(this.request, { url, caller, services, names });
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

  /** @throws TurnkeepError UNIMPLEMENTED for agents whose clients carry the state. */
  get keepingAgent(): ServedAgent {
    const { agent } = this;
    if (agent.metadata.stateManagement === "server") return agent;
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

  /** Who sends. */
  get sender(): CallOptions<never> {
    const { principal } = this.caller;
    const requestId = this.request.headers.get("idempotency-key");
    return {
      ...this.reader,
      ...(principal !== undefined && { principal }),
      ...(requestId !== null && { requestId }),
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
    this.services.allowance.submit(this.caller.tenant);
  }

  /** The answer as a stream. */
  stream(
    frames: AsyncIterable<string>,
    options: { readonly ping: string; readonly mostMs?: number; readonly onEnd?: () => void },
  ): Response {
    const { allowance, limits, ports } = this.services;
    const close = allowance.openStream(this.caller.tenant);
    return sseResponse(frames, {
      ...options,
      limits,
      timers: ports.timers,
      onEnd: () => {
        close();
        options.onEnd?.();
      },
    });
  }
}
