import type {
  Annotation,
  BusyPolicy,
  ContentComparison,
  ImportAnswer,
  LinkedSession,
} from "../ledger/index.ts";
import type {
  AgentInput,
  AgentMetadata,
  AgentOutput,
  AgentStreamChunk,
  Json,
  JsonObject,
  Message,
  Resume,
  SessionSnapshot,
  SessionState,
  SnapshotStatus,
} from "../protocol/index.ts";
import type { CallContext } from "./call-context.ts";
import type { RunUpdate } from "./client-view.ts";
import type { SnapshotPageOptions } from "./snapshot-page.ts";

/** Where a run starts and who asks for it. */
export interface CallOptions<Custom = Json, Input = Json> {
  /** Goes on with this session, or starts one of this name. */
  readonly sessionId?: string | undefined;
  /** Goes on at this snapshot; with a session id as well, that is asserted. */
  readonly snapshotId?: string | undefined;
  /** The state, for agents without a store. */
  readonly state?: SessionState<Custom> | undefined;
  /** What the agent's prompt is rendered with, instead of its own default. A session keeps what it was started with; another one is refused later. */
  readonly promptInput?: Input | undefined;
  /** Added to what is noted of the session: a user's id, and the like. An entry of `null` removes one. At most 2,048 characters of JSON in all. */
  readonly metadata?: JsonObject | undefined;
  readonly context?: CallContext | undefined;
  readonly tenant?: string | undefined;
  readonly principal?: string | undefined;
  readonly onBusy?: BusyPolicy | undefined;
  /** Makes it safe to send the same input again. */
  readonly requestId?: string | undefined;
  /** Refuses when the session has moved on from this snapshot. */
  readonly expectedHead?: string | null | undefined;
  /** Aborts the run. Going away does not: see `attach`. */
  readonly signal?: AbortSignal | undefined;
  /** Attributes of the run's span. */
  readonly telemetryLabels?: Readonly<Record<string, string>> | undefined;
  /** Shows what is kept as it is, with no transform: for operators. */
  readonly unredacted?: boolean | undefined;
}

/** Who reads. */
export interface ReadOptions {
  readonly context?: CallContext | undefined;
  readonly tenant?: string | undefined;
  /** Shows what is kept as it is, with no transform: for operators. */
  readonly unredacted?: boolean | undefined;
}

/** A session of this agent. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly snapshotId?: string;
  readonly status: "active" | "idle";
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly messageCount: number;
  readonly hasArtifacts: boolean;
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
}

/** One page of sessions, last updated first. */
export interface SessionList {
  readonly sessions: readonly SessionSummary[];
  /** Pass it as `after` for more. */
  readonly next?: string;
}

/** A session that was deleted. */
export interface DeletedSession {
  readonly sessionId: string;
  /** The sessions of other agents that belonged to it, and were deleted along with it. */
  readonly linked: readonly LinkedSession[];
}

/** A run that goes on by itself. */
export interface DetachedRun<Custom = Json> {
  readonly runId: string;
  readonly sessionId: string;
  /** The snapshot it will end in. */
  readonly snapshotId: string;
  readonly wait: (options?: {
    readonly signal?: AbortSignal | undefined;
  }) => Promise<SessionSnapshot<Custom>>;
  readonly abort: () => Promise<AbortResult>;
}

/** What an abort found, and what it left. */
export interface AbortResult {
  /** How it stands after the call; absent when there is no such run. */
  readonly status?: SnapshotStatus;
  /** How it stood before. */
  readonly previousStatus?: SnapshotStatus;
}

/** A turn as it streams. Nobody has to read the chunks: the turn goes on, and `output` says how it ended. */
export interface AgentStream<Custom = Json, Output = Json, Status = Json> {
  readonly runId: string;
  readonly chunks: AsyncIterable<AgentStreamChunk<Status>>;
  readonly output: Promise<AgentOutput<Custom, Output>>;
}

/** An open conversation: send inputs, receive what comes of them. */
export interface Connection<Custom = Json, Output = Json, Status = Json> {
  /** The run that inputs go to. Behind HTTP each input is a run of its own, and this the last; empty before the first. */
  readonly runId: string;
  readonly sessionId: string;
  /** Resolves when nothing more will come. */
  readonly done: Promise<void>;
  /**
   * Takes its place in the order of inputs at once. Resolves when the input is accepted; with a store, it is durable then. `output` reports the error of an
   * input that was refused, unless somebody waits for this.
   */
  send(input: AgentInput): Promise<void>;
  sendText(text: string): Promise<void>;
  sendMessage(message: Message): Promise<void>;
  sendResume(resume: Resume): Promise<void>;
  /** Lets the run go on by itself and closes the connection. `output` then names the snapshot it will end in. */
  detach(): Promise<void>;
  /** Nothing more will be sent. What was sent before still is. */
  close(): void;
  /** What the agent streams. Breaking out of the loop ends nothing: the next one goes on where this one stopped. */
  receive(): AsyncGenerator<AgentStreamChunk<Status>>;
  /** Like `receive`, with all events and their ids. */
  events(): AsyncGenerator<RunUpdate<Status>>;
  /** The custom state as far as it was received. */
  custom(): Custom | undefined;
  /** Closes the input side, waits for the end and says how it came out. The same each time it is asked. */
  output(): Promise<AgentOutput<Custom, Output>>;
}

/** An agent to talk to, whether it lives in this process or behind HTTP. */
export interface Agent<Custom = Json, Output = Json, Input = Json, Status = Json> {
  readonly name: string;
  readonly description?: string;
  readonly metadata: AgentMetadata;

  /** One turn. A turn that fails resolves, with `finishReason: "failed"` and the error; misuse rejects. */
  run(
    input: AgentInput,
    options?: CallOptions<Custom, Input>,
  ): Promise<AgentOutput<Custom, Output>>;
  runText(text: string, options?: CallOptions<Custom, Input>): Promise<AgentOutput<Custom, Output>>;
  /** One turn, as it comes. */
  stream(
    input: AgentInput,
    options?: CallOptions<Custom, Input>,
  ): AgentStream<Custom, Output, Status>;
  streamText(
    text: string,
    options?: CallOptions<Custom, Input>,
  ): AgentStream<Custom, Output, Status>;
  /** Any number of turns. */
  connect(options?: CallOptions<Custom, Input>): Connection<Custom, Output, Status>;
  /** One turn that nobody waits for. */
  detach(input: AgentInput, options?: CallOptions<Custom, Input>): Promise<DetachedRun<Custom>>;

  /** What a run does and did, from any event on: each once, in order, until it ends. */
  attach(
    runId: string,
    options?: ReadOptions & {
      readonly after?: number | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ): AsyncIterable<RunUpdate<Status>>;
  /** Resolves when the turn that ends in this snapshot has ended, however long that takes: a turn that looks `expired` may still be taken over. `signal` ends the waiting. */
  waitFor(
    snapshotId: string,
    options?: ReadOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<SessionSnapshot<Custom>>;
  /** How the turn came out that ends in this snapshot, when it has ended. */
  getOutput(
    snapshotId: string,
    options?: ReadOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<AgentOutput<Custom, Output>>;
  /** Ends a run, named by itself or by a snapshot it will end in. */
  abort(id: string, options?: ReadOptions): Promise<AbortResult>;

  getSnapshot(snapshotId: string, options?: ReadOptions): Promise<SessionSnapshot<Custom>>;
  getLatestSnapshot(sessionId: string, options?: ReadOptions): Promise<SessionSnapshot<Custom>>;
  /**
   * The session's tree in the order of commits, pending ones last; without state, unless `withState` asks for it. With `limit`, or with states, this is one page:
   * pass the id of its last snapshot as `after` for the next, which is empty behind the last.
   */
  listSnapshots(
    sessionId: string,
    options?: ReadOptions & SnapshotPageOptions,
  ): Promise<readonly SessionSnapshot<Custom>[]>;
  listSessions(
    options?: ReadOptions & {
      readonly limit?: number | undefined;
      readonly after?: string | undefined;
      readonly activity?: "active" | "idle" | undefined;
      /**
       * Only sessions whose metadata has these entries, with equal values. One call looks through a bounded number of sessions: a page may hold fewer than
       * `limit`, or none, and still have a `next`.
       */
      readonly metadata?: JsonObject | undefined;
    },
  ): Promise<SessionList>;
  /** Starts a new session at a snapshot, with its state or an edited one, and with the metadata of its session. */
  fork(
    snapshotId: string,
    options?: ReadOptions & {
      readonly sessionId?: string | undefined;
      readonly state?: SessionState<Custom> | undefined;
    },
  ): Promise<SessionSnapshot<Custom>>;
  /** What leads from one snapshot of a session to another. */
  diff(
    fromSnapshotId: string,
    toSnapshotId: string,
    options?: ReadOptions,
  ): Promise<ContentComparison>;
  /** Labels or pins a snapshot, or notes what the session is about: its title, tags and metadata. */
  label(sessionId: string, annotation: Annotation, options?: ReadOptions): Promise<void>;
  /** Deletes a session, and those of sub-agents that belong to it, for good. Resolves to `undefined` when there is no such session. */
  deleteSession(sessionId: string, options?: ReadOptions): Promise<DeletedSession | undefined>;
  /** The session as lines of one file. */
  exportSession(sessionId: string, options?: ReadOptions): AsyncIterable<string>;
  importSession(
    sessionId: string,
    lines: Iterable<string> | AsyncIterable<string>,
    options?: ReadOptions,
  ): Promise<ImportAnswer>;
}
