import type { SessionStore } from "../ledger/index.ts";
import {
  type AgentInit,
  type AgentInput,
  type AgentMetadata,
  agentOutput,
  type AgentOutput,
  errorFromData,
  type Json,
  onAbort,
  parseAgentInit,
  parseAgentInput,
  type SessionState,
  TurnkeepError,
} from "../protocol/index.ts";
import { AgentDefinition } from "./agent-definition.ts";
import { AgentInspector } from "./agent-inspector.ts";
import type { AgentRun } from "./agent-run.ts";
import type {
  AbortResult,
  Agent,
  AgentStream,
  CallOptions,
  DetachedRun,
  ReadOptions,
} from "./agent.ts";
import { BackgroundWorker, type WorkerOptions } from "./background-worker.ts";
import { checkOptions, READ_OPTIONS, WAIT_OPTIONS } from "./check-options.ts";
import { AgentConnection } from "./connection.ts";
import { examineSession, type SessionExamination } from "./examine-session.ts";
import { findOutcome } from "./find-output.ts";
import { locate, readerOf } from "./locate.ts";
import { openRun } from "./open-run.ts";
import { findPublicId, toPublicId } from "./public-id.ts";
import { endedOutput, type OutputOptions, outputOfRun, outputOfSnapshot } from "./run-output.ts";
import { SnapshotDesk } from "./snapshot-desk.ts";
import { jsonSchemaOf } from "./state-schema.ts";
import { StoredRun } from "./stored-run.ts";
import { textInput } from "./text-input.ts";
import { tryWhileAway } from "./try-while-away.ts";
import { AgentWorkDesk, type WorkDesk } from "./work-desk.ts";

/** An agent of this process. */
export class LocalAgent<Custom = Json, Output = Json, Input = Json, Status = Json>
  extends SnapshotDesk<Custom, Status>
  implements Agent<Custom, Output, Input, Status>
{
  readonly name: string;
  readonly metadata: AgentMetadata;
  readonly description?: string;
  readonly #definition: AgentDefinition<Custom>;
  readonly #runs = new Map<string, AgentRun<Custom>>();
  #worker: BackgroundWorker<Custom> | undefined;

  constructor(definition: AgentDefinition<Custom>) {
    super(definition);
    this.#definition = definition;
    this.name = definition.name;
    const { description } = definition.options;
    if (description !== undefined) this.description = description;
    const stateSchema = jsonSchemaOf(definition.state.schema);
    this.metadata = {
      stateManagement: definition.ledger ? "server" : "client",
      abortable: definition.ledger !== undefined,
      ...(stateSchema && { stateSchema }),
    };
  }

  /** What the agent says of itself and keeps, for tools for developers. */
  get inspector(): AgentInspector {
    return new AgentInspector(this.#definition as unknown as AgentDefinition<never>);
  }

  /** Whether a run goes on in this process. */
  isRunningHere(runId: string): boolean {
    const id = findPublicId(runId)?.id;
    return id !== undefined && this.#runs.has(id);
  }

  connect(options: CallOptions<Custom, Input> = {}): AgentConnection<Custom, Output, Status> {
    const run = openRun(this.#definition, options as CallOptions<Custom>);
    const { keeper } = run;
    const view = this.#definition.viewFor(keeper.sessionId, keeper.runId, options);
    const carry = this.#carry(options.tenant);
    const over = this.#remember(run, options as CallOptions<Custom>);
    const { checkInput } = this.#definition.options;
    return new AgentConnection<Custom, Output, Status>({
      run,
      ...(over && { over }),
      ...(options.promptInput !== undefined && { promptInput: options.promptInput as Json }),
      ...(checkInput && { checkInput }),
      view,
      timers: this.#definition.ports.timers,
      mostWaiting: this.#definition.limits.chunksPerTurn,
      outputOf: () =>
        run.outcome.then((outcome) => {
          const own = (): ReturnType<typeof outputOfRun<Custom, Output>> =>
            outputOfRun<Custom, Output>(outcome, {
              sessionId: keeper.sessionId,
              view,
              ...this.#definition.outputOptions,
              ...(carry && { carry }),
              ...(options.state && { sent: options.state }),
            });
          return outcome.isTaken && keeper instanceof StoredRun
            ? this.#outputElsewhere(keeper, options as CallOptions<Custom>)
            : own();
        }),
    });
  }

  // Waits for the end that another process writes. It is not known here when this process shuts down, or the store cannot be asked.
  async #outputElsewhere(
    keeper: StoredRun,
    { tenant, context, unredacted }: CallOptions<Custom>,
  ): Promise<AgentOutput<Custom, Output>> {
    const runId = toPublicId({ sessionId: keeper.sessionId, id: keeper.runId });
    const reader = {
      ...(tenant !== undefined && { tenant }),
      ...(context && { context }),
      ...(unredacted !== undefined && { unredacted }),
    };
    let output: AgentOutput<Custom, Output> | undefined;
    if (keeper.isElsewhere) {
      const find = async (): Promise<void> => void (output = await this.findOutput(runId, reader));
      await tryWhileAway(find, this.#definition.ports.timers);
    }
    if (output === undefined) throw goesOnElsewhere(runId);
    return output;
  }

  async run(
    input: AgentInput,
    options: CallOptions<Custom, Input> = {},
  ): Promise<AgentOutput<Custom, Output>> {
    const parsed = parseAgentInput(input);
    const connection = this.connect(options);
    connection.receiveNothing();
    try {
      await connection.sendParsed(parsed);
    } catch (error) {
      connection.close();
      return await this.#earlierOutput(error, options);
    }
    return await connection.output();
  }

  runText(text: string, call?: CallOptions<Custom, Input>): Promise<AgentOutput<Custom, Output>> {
    return this.run(textInput(text), call);
  }

  stream(
    input: AgentInput,
    options: CallOptions<Custom, Input> = {},
  ): AgentStream<Custom, Output, Status> {
    const connection = this.connect(options);
    const sent = connection.send(input).finally(() => connection.close());
    const output = sent.then(() => connection.output());
    output.catch(() => {});
    const chunks = async function* (): AsyncGenerator<never> {
      await sent;
      yield* connection.receive() as AsyncGenerator<never>;
    };
    return { runId: connection.runId, chunks: chunks(), output };
  }

  streamText(
    text: string,
    options?: CallOptions<Custom, Input>,
  ): AgentStream<Custom, Output, Status> {
    return this.stream(textInput(text), options);
  }

  async detach(
    input: AgentInput,
    options: CallOptions<Custom, Input> = {},
  ): Promise<DetachedRun<Custom>> {
    const parsed = parseAgentInput(input);
    const connection = this.connect(options);
    try {
      await connection.send({ ...parsed, detach: true });
    } finally {
      connection.close();
    }
    const { sessionId, snapshotId, error, cause } = await connection.output();
    if (snapshotId === undefined) {
      throw errorFromData(error ?? { message: "The run could not be detached." }, cause);
    }
    const reader = readerOf(options);
    return {
      runId: connection.runId,
      sessionId,
      snapshotId,
      wait: (waiting) => this.waitFor(snapshotId, { ...reader, ...waiting }),
      abort: () => this.abort(snapshotId, reader),
    };
  }

  /**
   * Reads an input as a client may send it: messages of users with the parts, metadata, media and resources that the agent accepts from clients. For
   * servers; calls in process are not held to it.
   *
   * @throws TurnkeepError INVALID_ARGUMENT.
   */
  parseClientInput(value: unknown): AgentInput {
    return this.#definition.clientInput.parse(value);
  }

  /**
   * Reads where a run is to start, as a client may send it. A state that is not signed may be the client's own work, so the resources and media in it
   * must be such as clients may send.
   *
   * @throws TurnkeepError INVALID_ARGUMENT.
   */
  parseClientInit(value: unknown): AgentInit<Custom> {
    const init = parseAgentInit(value);
    if (init.state) this.checkClientState(init.state);
    return init as AgentInit<Custom>;
  }

  /** @internal The same for a state alone. */
  checkClientState(state: SessionState): void {
    if (this.trustsClientState) this.#definition.clientInput.checkState(state);
  }

  /** Whether clients carry the state with nothing that protects it: they may change all of it. */
  get trustsClientState(): boolean {
    const { ledger, clientState } = this.#definition;
    return ledger === undefined && clientState === undefined;
  }

  /** How a turn came out that ended, or will end, in this snapshot. */
  async getOutput(
    snapshotId: string,
    options: ReadOptions & { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<AgentOutput<Custom, Output>> {
    const ended = await this.waitFor(snapshotId, options);
    const reader = readerOf(options);
    // A turn that left no snapshot has nothing else to show.
    const isUnsaved = ended.state === undefined && (await this.#isUnsaved(snapshotId, reader));
    if (isUnsaved) return endedOutput<Custom, Output>(ended);
    const { outputOptions } = this.#definition;
    const snapshotIds = await this.savedBefore(snapshotId, reader);
    return await outputOfSnapshot<Custom, Output>(ended, { ...outputOptions, snapshotIds });
  }

  /** @internal How a run came out, when it has ended. */
  async findOutput(
    runId: string,
    options: ReadOptions & { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<AgentOutput<Custom, Output>> {
    checkOptions(options, WAIT_OPTIONS);
    const { signal } = options;
    const { ledger, key, id } = await locate(this.#definition, runId, readerOf(options));
    const { sessionId } = key;
    const run = { runId: id, ...(signal && { signal }) };
    const { snapshotId, output } = await findOutcome(ledger, key, run);
    if (snapshotId === undefined) return agentOutput({ sessionId, ...output });
    return await this.getOutput(toPublicId({ sessionId, id: snapshotId }), options);
  }

  async #isUnsaved(snapshotId: string, options: ReadOptions): Promise<boolean> {
    const { ledger, key, id } = await locate(this.#definition, snapshotId, readerOf(options));
    return (await ledger.findUnsaved(key, id)) !== undefined;
  }

  /** Where its sessions are kept; absent where clients carry the state. */
  get store(): SessionStore | undefined {
    return this.#definition.options.store;
  }

  /** The tenant of calls that name none. */
  get tenant(): string {
    return this.#definition.options.tenant ?? "local";
  }

  /**
   * Whether this build could go on with a session: reads its head, or with `all` every snapshot, and says what would fail. Changes nothing.
   *
   * @throws TurnkeepError UNAVAILABLE when the store cannot be asked.
   */
  async examineSession(
    sessionId: string,
    { all = false, ...options }: ReadOptions & { readonly all?: boolean } = {},
  ): Promise<SessionExamination> {
    checkOptions(options, READ_OPTIONS);
    const key = this.#definition.keyOf(sessionId, options.tenant);
    return await examineSession(this.#definition, key, { all });
  }

  /** Whether there is something that clients are not shown. */
  get redacts(): boolean {
    const { transformState, transformStream } = this.#definition.options;
    return transformState !== undefined || transformStream !== undefined;
  }

  override async abort(id: string, options: ReadOptions = {}): Promise<AbortResult> {
    const { runId, ...result } = await super.abort(id, options);
    // The store would tell the run as well, a little later.
    if (runId !== undefined) this.#runs.get(runId)?.abort();
    return result;
  }

  /** Looks for turns that nobody works on and takes them over. An agent with a store does so by itself from its definition on. */
  startWorker(options?: WorkerOptions): BackgroundWorker<Custom> {
    this.#worker ??= new BackgroundWorker(this.#definition, options);
    return this.#worker;
  }

  /** For those who look for turns in their own way: this agent does not look for any itself from now on. */
  async takeWorkDesk(): Promise<WorkDesk> {
    await this.#worker?.stop({ handOverMs: 0 });
    return new AgentWorkDesk(this.#definition);
  }

  /** The same agent on another store, with no dispatcher, and at rest until it is talked to: for tests. */
  withStore(store: SessionStore): LocalAgent<Custom, Output, Input, Status> {
    const { clientState: _, dispatcher: __, ...options } = this.#definition.options;
    const { work, traits } = this.#definition;
    return new LocalAgent(new AgentDefinition({ ...options, store }, work, traits));
  }

  /**
   * Takes no more turns over and lets go of those under way: they have this long to end by themselves, then they go on elsewhere, at once if another
   * process serves the agent. The store stays open: it is its opener's.
   */
  async close({ handOverMs = 0 }: { readonly handOverMs?: number } = {}): Promise<void> {
    const { timers } = this.#definition.ports;
    const stopped = this.#worker?.stop({ handOverMs });
    const runs = [...this.#runs.values()];
    for (const run of runs) run.shutDown();
    const outcomes = runs.map(({ outcome }) => outcome);
    const late = new AbortController();
    await Promise.race([
      Promise.allSettled(outcomes),
      timers.sleep(handOverMs, { signal: late.signal }).catch(() => {}),
    ]);
    late.abort(null);
    for (const { keeper } of runs) if (keeper instanceof StoredRun) keeper.handOver();
    await Promise.allSettled([stopped, ...outcomes]);
  }

  // Returns how to forget it.
  #remember(run: AgentRun<Custom>, { signal }: CallOptions<Custom>): (() => void) | undefined {
    const { keeper } = run;
    if (!(keeper instanceof StoredRun)) return undefined;
    this.#runs.set(keeper.runId, run);
    // A store that is away cannot be told; then the run goes on.
    const stop = (): void => {
      const aborting = keeper.abort().then((isAborted) => isAborted && run.abort());
      aborting.catch(() => {});
    };
    // One that has aborted already lets nothing in.
    const forget = signal && !signal.aborted ? onAbort(signal, stop) : undefined;
    return () => {
      this.#runs.delete(keeper.runId);
      forget?.();
    };
  }

  #carry(tenant: string | undefined): OutputOptions<Custom>["carry"] {
    const { ledger, clientState, name, options } = this.#definition;
    if (ledger) return undefined;
    const about = { tenant: tenant ?? options.tenant ?? "local", agent: name };
    return async (state) =>
      clientState
        ? ((await clientState.protect(state as SessionState, about)) as SessionState<Custom>)
        : state;
  }

  // A request that was accepted before is answered with what came of it then.
  async #earlierOutput(
    error: unknown,
    options: CallOptions<Custom, Input>,
  ): Promise<AgentOutput<Custom, Output>> {
    const earlier =
      TurnkeepError.is(error) && error.status === "ALREADY_EXISTS" && error.details["snapshotId"];
    if (typeof earlier !== "string") throw error;
    return await this.getOutput(earlier, readerOf(options));
  }
}

// Nobody here knows how the turn ends, so that the answer must not say that it ended.
function goesOnElsewhere(runId: string): TurnkeepError {
  return new TurnkeepError(
    "UNAVAILABLE",
    "The turn was handed off to other processes. Call again with the same request id to get its output, or attach to the run.",
    { reason: "TURN_TAKEN", retryable: true, details: { runId } },
  );
}

/** Any agent of this process, whatever its state and output are. */
export type AnyLocalAgent = Pick<
  LocalAgent,
  | "name"
  | "description"
  | "metadata"
  | "redacts"
  | "close"
  | "eraseSession"
  | "examineSession"
  | "listSessions"
  | "store"
  | "takeWorkDesk"
  | "tenant"
  | "trustsClientState"
>;
