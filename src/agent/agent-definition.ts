import {
  createScope,
  createSessionKey,
  Ledger,
  retentionFrom,
  type Scope,
  type SessionKey,
  systemClock,
  systemPorts,
  type Ports,
} from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { AgentFunction } from "./agent-function.ts";
import {
  type AgentLimits,
  type AgentOptions,
  DEFAULT_LIMITS,
  type PartialOptions,
} from "./agent-options.ts";
import type { CallContext } from "./call-context.ts";
import { checkAgentOptions } from "./check-agent-options.ts";
import { ClientInputPolicy } from "./client-input.ts";
import { ClientStateKeeper } from "./client-state.ts";
import { ClientView } from "./client-view.ts";
import type { OutputOptions } from "./run-output.ts";
import { StateReader } from "./state-reader.ts";
import { AgentTelemetry } from "./telemetry.ts";

/** Who is shown something. */
interface Reader {
  readonly context?: CallContext | undefined;
  readonly tenant?: string | undefined;
  readonly unredacted?: boolean | undefined;
}

/** How an agent differs from others to its clients. */
export interface AgentTraits {
  /** Every chunk names its session, and every output holds the whole history. */
  readonly isSelfContained: boolean;
}

const USUAL: AgentTraits = { isSelfContained: false };

const NO_TRANSFORMS = { transformState: undefined, transformStream: undefined };

/** What an agent is, with everything it needs made ready once. */
export class AgentDefinition<Custom> {
  readonly options: AgentOptions<Custom>;
  readonly work: AgentFunction<Custom, never>;
  readonly traits: AgentTraits;
  readonly outputOptions: Pick<OutputOptions<Custom>, "readOutput" | "withHistory">;
  readonly limits: AgentLimits;
  readonly ports: Ports;
  readonly telemetry: AgentTelemetry;
  readonly state: StateReader<Custom>;
  readonly clientInput: ClientInputPolicy;
  /** Only with a store. */
  readonly ledger: Ledger | undefined;
  /** Only without a store, and with a secret. */
  readonly clientState: ClientStateKeeper | undefined;
  #opened: Promise<void> | undefined;
  #isOpen = false;
  #scope: Scope | undefined;

  /** @throws TurnkeepError INVALID_ARGUMENT when the options do not fit together. */
  constructor(
    options: AgentOptions<Custom>,
    work: AgentFunction<Custom, never>,
    traits: AgentTraits = USUAL,
  ) {
    checkAgentOptions(options);
    this.options = options;
    this.work = work;
    this.traits = traits;
    const { readOutput } = options;
    this.outputOptions = { withHistory: traits.isSelfContained, ...(readOutput && { readOutput }) };
    this.limits = { ...DEFAULT_LIMITS, ...given(options.limits) };
    this.ports = options.ports ?? systemPorts;
    this.state = new StateReader(options.name, options.state, options.initialState);
    this.clientInput = new ClientInputPolicy(options);
    const { store, clientState } = options;
    const retention = options.retention && retentionFrom(given(options.retention));
    const { leaseMs, attempts, queuedInputs, stateCharacters } = this.limits;
    this.ledger =
      store &&
      new Ledger({
        store,
        ports: this.ports,
        leaseMs,
        maxAttempts: attempts,
        maxQueue: queuedInputs,
        maxContentCharacters: stateCharacters,
        ...(retention && { retention }),
      });
    this.telemetry = new AgentTelemetry({
      agentName: options.name,
      recordState: options.recordState ?? false,
    });
    this.clientState = clientState && new ClientStateKeeper({ ...clientState, clock: systemClock });
  }

  get name(): string {
    return this.options.name;
  }

  keyOf(sessionId: string, tenant: string | undefined): SessionKey {
    const scope =
      tenant === undefined || tenant === this.#scope?.tenant
        ? this.#ownScope()
        : createScope(tenant);
    return createSessionKey(scope, this.name, sessionId);
  }

  // Of the tenant that calls are for unless they say otherwise.
  #ownScope(): Scope {
    this.#scope ??= createScope(this.options.tenant ?? "local");
    return this.#scope;
  }

  /** Whether the store was opened already. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The ledger, with its store open. */
  async open(): Promise<Ledger> {
    const { ledger } = this;
    if (ledger === undefined) throw needsStore(this.name);
    this.#opened ??= ledger.store.open().catch((error: unknown) => {
      // The next call tries again.
      this.#opened = undefined;
      throw error;
    });
    await this.#opened;
    this.#isOpen = true;
    return ledger;
  }

  /** Whether the reader may be shown less of a state than there is. */
  isRedacted({ unredacted = false }: Reader): boolean {
    return this.options.transformState !== undefined && !unredacted;
  }

  viewFor(
    sessionId: string,
    runId: string,
    { context = {}, tenant, unredacted }: Reader = {},
  ): ClientView<Custom> {
    const { transformState, transformStream } = unredacted ? NO_TRANSFORMS : this.options;
    const ledger = transformState && this.ledger;
    const key = ledger && this.keyOf(sessionId, tenant);
    return new ClientView({
      sessionId,
      runId,
      context,
      timers: this.ports.timers,
      namesSession: this.traits.isSelfContained,
      ...(transformState && { transformState }),
      ...(transformStream && { transformStream }),
      ...(ledger && key && { findSnapshot: (id) => ledger.snapshots.findSeen(key, id) }),
    });
  }
}

// What is undefined counts as not given.
function given<Members>(members: PartialOptions<Members> = {}): Partial<Members> {
  const said = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as Partial<Members>;
}

export function needsStore(agent: string): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `This operation requires a persistent store. Provide a 'store' when defining '${agent}'.`,
  );
}
