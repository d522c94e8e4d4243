import type { SessionKey } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";

/** How many sessions a worker works on at once. */
export interface SlotLimits {
  readonly concurrency: number;
  /** Of one tenant; as many as there are slots unless told. */
  readonly perTenant?: number | undefined;
  /** Of one agent; as many as there are slots unless told. */
  readonly perAgent?: number | undefined;
}

/** The places of one worker: counted exactly, so that no tenant and no agent takes more than its share of them. */
export class WorkSlots {
  readonly #limits: Readonly<Record<keyof SlotLimits, number>>;
  readonly #tenants = new Map<string, number>();
  readonly #agents = new Map<string, number>();
  #taken = 0;

  /** @throws TurnkeepError INVALID_ARGUMENT when a limit is no whole number of at least 1. */
  constructor({ concurrency, perTenant = concurrency, perAgent = concurrency }: SlotLimits) {
    this.#limits = { concurrency, perTenant, perAgent };
    for (const [name, limit] of Object.entries(this.#limits)) checkLimit(name, limit);
  }

  get hasRoom(): boolean {
    return this.#taken < this.#limits.concurrency;
  }

  /** Takes a place for a session. Returns how to give it back; `undefined` when there is none for it. */
  take({ scope: { tenant }, agent }: SessionKey): (() => void) | undefined {
    const { perTenant, perAgent } = this.#limits;
    const isFull =
      !this.hasRoom ||
      countOf(this.#tenants, tenant) >= perTenant ||
      countOf(this.#agents, agent) >= perAgent;
    if (isFull) return undefined;
    this.#change(1, tenant, agent);
    return () => this.#change(-1, tenant, agent);
  }

  #change(by: 1 | -1, tenant: string, agent: string): void {
    this.#taken += by;
    changeCount(this.#tenants, tenant, by);
    changeCount(this.#agents, agent, by);
  }
}

function countOf(counts: ReadonlyMap<string, number>, name: string): number {
  return counts.get(name) ?? 0;
}

// Names that have no place any more are forgotten: tenants may be many.
function changeCount(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const count = countOf(counts, name) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

function checkLimit(name: string, limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 1) return;
  throw new TurnkeepError("INVALID_ARGUMENT", `${name} must be a whole number of at least 1.`, {
    details: { field: name },
  });
}
