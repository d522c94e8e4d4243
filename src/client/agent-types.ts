import type {
  AgentInput,
  AgentMetadata,
  AgentOutput,
  AgentStreamChunk,
  Artifact,
  Json,
  JsonObject,
  JsonPatchOperation,
  Message,
  Resume,
  SessionSnapshot,
  SessionState,
  SnapshotStatus,
} from "../protocol/index.ts";

// The same interface as that of an agent in this process, told in the shapes that cross the wire. A type test holds the two together.

/** Where a run starts. Who asks for it is for the server to know, by the headers. */
export interface CallOptions<Custom = Json> {
  /** Goes on with this session, or starts one of this name. */
  readonly sessionId?: string | undefined;
  /** Goes on at this snapshot; with a session id as well, that is asserted. */
  readonly snapshotId?: string | undefined;
  /** The state, for agents without a store. */
  readonly state?: SessionState<Custom> | undefined;
  /** What the agent's prompt is rendered with; counts only when the session starts. */
  readonly promptInput?: Json | undefined;
  /** Added to what is noted of the session: a user's id, and the like. An entry of `null` removes one. */
  readonly metadata?: JsonObject | undefined;
  readonly onBusy?: "reject" | "queue" | "interrupt" | undefined;
  /** Makes it safe to send the same input again, also from another process. One is made unless given. */
  readonly requestId?: string | undefined;
  /** Refuses when the session has moved on from this snapshot. */
  readonly expectedHead?: string | null | undefined;
  /** Aborts the run. Going away does not: see `attach`. */
  readonly signal?: AbortSignal | undefined;
}

/** Ends the waiting, and nothing else. */
export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
}

/** One event of a run. */
export interface RunUpdate<Status = Json> {
  /** Names the event. Absent for what is not kept. */
  readonly id?: string;
  readonly seq: number;
  readonly type: "chunk" | "step" | "moved" | "started" | "restarted" | "turnEnd" | "runEnd";
  readonly chunk?: AgentStreamChunk<Status>;
}

/** How a run stood before and after an abort; nothing of it when there is no such run. */
export interface AbortResult {
  readonly status?: SnapshotStatus;
  readonly previousStatus?: SnapshotStatus;
}

/** A turn as it streams. Nobody has to read the chunks: the turn goes on, and `output` says how it ended. */
export interface AgentStream<Custom = Json, Output = Json, Status = Json> {
  /** Empty until the server has taken the input in. */
  readonly runId: string;
  readonly chunks: AsyncIterable<AgentStreamChunk<Status>>;
  readonly output: Promise<AgentOutput<Custom, Output>>;
}

/** A run that goes on by itself on the server: wait for its end, or abort it. */
export interface DetachedRun<Custom = Json> {
  readonly runId: string;
  readonly sessionId: string;
  readonly snapshotId: string;
  readonly wait: (options?: WaitOptions) => Promise<SessionSnapshot<Custom>>;
  readonly abort: () => Promise<AbortResult>;
}

/** One page of sessions, last updated first. */
export interface SessionList {
  readonly sessions: readonly {
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
  }[];
  /** Pass it as `after` for more. */
  readonly next?: string;
}

/** Which of a session's snapshots are asked for. */
export interface SnapshotPageOptions {
  /** With the state of each: 50 unless `limit` says otherwise, 200 at most, and fewer where their states are large. */
  readonly withState?: boolean;
  readonly limit?: number;
  /** The last one of the page before. */
  readonly after?: string;
}

/** A session that was deleted. */
export interface DeletedSession {
  readonly sessionId: string;
  /** The sessions of other agents that belonged to it, and were deleted along with it. */
  readonly linked: readonly { readonly agent: string; readonly sessionId: string }[];
}

/** What leads from one snapshot to another. */
export interface ContentComparison {
  readonly same: boolean;
  readonly messages: {
    readonly common: number;
    readonly removed: readonly Message[];
    readonly added: readonly Message[];
  };
  readonly custom: readonly JsonPatchOperation[];
  readonly artifacts: {
    readonly removed: readonly Artifact[];
    readonly added: readonly Artifact[];
  };
  readonly promptInput: readonly JsonPatchOperation[];
}

export type Annotation =
  | { readonly label: string; readonly snapshotId: string }
  | { readonly removeLabel: string }
  | { readonly pin: string }
  | { readonly unpin: string }
  | {
      readonly about: {
        readonly title?: string | null | undefined;
        readonly tags?: readonly string[] | undefined;
        readonly metadata?: JsonObject | null | undefined;
      };
    };

export type ImportAnswer =
  | { readonly kind: "imported"; readonly head: string | null; readonly snapshots: number }
  | { readonly kind: "exists" };

/** An open conversation: send inputs, receive what comes of them. */
export interface Connection<Custom = Json, Output = Json, Status = Json> {
  /** The run of the last input that was taken in; empty before the first. */
  readonly runId: string;
  readonly sessionId: string;
  /** Resolves when nothing more will be sent and all was answered. */
  readonly done: Promise<void>;
  send(input: AgentInput): Promise<void>;
  sendText(text: string): Promise<void>;
  sendMessage(message: Message): Promise<void>;
  sendResume(resume: Resume): Promise<void>;
  detach(): Promise<void>;
  close(): void;
  receive(): AsyncGenerator<AgentStreamChunk<Status>>;
  events(): AsyncGenerator<RunUpdate<Status>>;
  custom(): Custom | undefined;
  output(): Promise<AgentOutput<Custom, Output>>;
}

/** What a server says of an agent. */
export interface AgentDescription {
  readonly name: string;
  readonly description?: string;
  readonly metadata: AgentMetadata;
}
