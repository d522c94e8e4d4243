import type { BusyPolicy, Ports, Retention, SessionStore } from "../ledger/index.ts";
import type { AgentInput, Json, JsonObject, Message, SessionState } from "../protocol/index.ts";
import type { CallContext } from "./call-context.ts";
import type { ClientInputOptions } from "./client-input.ts";
import type { LinkedAgent } from "./delete-session.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { InitialState, StateOption } from "./state-reader.ts";
import type { StateTransform, StreamTransform } from "./transforms.ts";

/** A store, and no promise of one. The compiler shows this text to those who forget to wait for `openSqliteStore`. */
export interface AwaitedStore {
  readonly then?: "Await the store: store: await openSqliteStore(path)";
}

/** How an agent is defined, whatever its loop. */
export interface AgentOptions<
  Custom,
  StateInput = unknown,
  Status = Json,
> extends ClientInputOptions {
  readonly name: string;
  readonly description?: string | undefined;
  /**
   * The shape of the custom state: any Standard Schema, checked when state is loaded, sent and forked. With a version and `migrate`, states that older builds
   * kept are migrated when they are read.
   */
  readonly state?: StateOption<Custom, StateInput> | undefined;
  /**
   * The custom state that a new session starts with: a value, which is copied, or a function that is called once for each session. Without one, the
   * defaults of the schema are used. A stored state, or one that a client sends, wins over it.
   */
  readonly initialState?: InitialState<Custom, StateInput> | undefined;
  /** Keeps sessions. Without one the client carries the state from turn to turn. */
  readonly store?: (AwaitedStore & SessionStore) | undefined;
  /**
   * Sends turns that nobody waits for to workers in other processes. Without one they are worked on in this process, as are always those that somebody
   * waits for.
   */
  readonly dispatcher?: Dispatcher | undefined;
  /** What becomes of an input for a session that is busy with another. `reject` unless told otherwise. */
  readonly onBusy?: BusyPolicy | undefined;
  readonly snapshotWhen?: SnapshotWhen<Custom> | undefined;
  /** Rewrites state on its way out to a client; fails closed. */
  readonly transformState?: StateTransform<Custom> | undefined;
  /** Rewrites each chunk on its way out to a client; fails closed. */
  readonly transformStream?: StreamTransform<NoInfer<Status>> | undefined;
  /** Refuses an input, by throwing, before it is taken in. */
  readonly checkInput?: ((input: AgentInput) => Promise<void> | void) | undefined;
  /** Reads what the last message says, where the agent answers in a shape of its own; `undefined` when it says none. */
  readonly readOutput?:
    | ((message: Message) => Promise<Json | undefined> | Json | undefined)
    | undefined;
  readonly limits?: PartialOptions<AgentLimits> | undefined;
  readonly retention?: PartialOptions<Retention> | undefined;
  /** Signs the state that clients carry; only for agents without a store. */
  readonly clientState?: ClientStateOptions | undefined;
  /** Where chunks are kept: `store`, so that any process can be asked for them again, or only in the `process` that streams them. */
  readonly events?: "store" | "process" | undefined;
  /** Writes inputs, states and error texts into OpenTelemetry spans. They hold what users said. */
  readonly recordState?: boolean | undefined;
  /** What tools for developers show beside the agent's name: a version, tags. */
  readonly about?: JsonObject | undefined;
  /** The tools that the agent's model may ask for, for tools for developers. */
  readonly describeTools?:
    | (() => Promise<readonly ToolDescription[]> | readonly ToolDescription[])
    | undefined;
  /**
   * Other agents whose sessions are linked to this one's and may be kept in another store: deleting a session deletes theirs by them. Linked sessions of this
   * agent's own store need no mention. Genkit agents name their sub-agents by themselves.
   */
  readonly linkedAgents?:
    | (() => Promise<readonly LinkedAgent[]> | readonly LinkedAgent[])
    | undefined;
  /** The tenant of calls that name none. */
  readonly tenant?: string | undefined;
  /** Time, chance, ids and timers; for tests. */
  readonly ports?: Ports | undefined;
}

/** Some of the members; the others keep their defaults. */
export type PartialOptions<Members> = {
  readonly [Name in keyof Members]?: Members[Name] | undefined;
};

/** What is known of a tool. Schemas are JSON Schema. */
export interface ToolDescription {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  /** It may wait for a person. */
  readonly interrupt?: boolean;
}

/** For agents without a store: how the state that clients carry is protected against changes. */
export interface ClientStateOptions {
  /** At least 32 bytes; a list, current one first, while secrets are changed. */
  readonly secret: string | readonly string[];
  /** Encrypts the state as well, so that the client cannot read it. */
  readonly seal?: boolean | undefined;
  readonly maxAgeMs?: number | undefined;
}

/**
 * When a snapshot is saved: `always` at the end of turns and runs, `never`, at the events of a list, or where a function says so, which is shown the state
 * before and after. `["turnEnd", "toolRound"]` saves one after each round of tools as well. A turn that is not saved names no snapshot anywhere, and the
 * session resumes from the last snapshot that was saved. Within its run the state goes on in memory.
 */
export type SnapshotWhen<Custom> =
  | "always"
  | "never"
  | readonly SnapshotEvent[]
  | ((moment: SnapshotMoment<Custom>) => boolean | Promise<boolean>);

/** What may be saved: the end of a turn, what a run changes after its last turn, and a turn after a round of tools, while it goes on. */
export type SnapshotEvent = "turnEnd" | "runEnd" | "toolRound";

export const SNAPSHOT_EVENTS: readonly SnapshotEvent[] = ["turnEnd", "runEnd", "toolRound"];

/** What is known when it is decided whether to save a snapshot. */
export interface SnapshotMoment<Custom> {
  readonly event: SnapshotEvent;
  readonly state: SessionState<Custom>;
  /** The state of the snapshot before; absent when there is none. */
  readonly previousState?: SessionState<Custom>;
  /** Which turn of its run, from 0. */
  readonly turnIndex: number;
  readonly context: CallContext;
}

/** How much a run, a turn and a session may take. What goes beyond fails or is refused, and the error says which limit it was. */
export interface AgentLimits {
  /** Turns of one run. */
  readonly turnsPerRun: number;
  /** Journaled steps of one turn. */
  readonly stepsPerTurn: number;
  /** How long a turn may take. */
  readonly turnMs: number;
  /** Characters of the state as JSON. */
  readonly stateCharacters: number;
  /** Chunks of one turn. */
  readonly chunksPerTurn: number;
  /** Inputs that may wait in a session. */
  readonly queuedInputs: number;
  /** How long a worker may be silent before another takes its turn over. */
  readonly leaseMs: number;
  /** How often a turn is begun before it counts as failed. */
  readonly attempts: number;
}

export const DEFAULT_LIMITS: AgentLimits = {
  turnsPerRun: 1000,
  stepsPerTurn: 64,
  turnMs: 15 * 60_000,
  stateCharacters: 4 * 1024 * 1024,
  chunksPerTurn: 20_000,
  queuedInputs: 8,
  leaseMs: 15_000,
  attempts: 3,
};
