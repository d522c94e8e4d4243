import type { AgentMetadata, SessionSnapshot } from "../protocol/index.ts";
import type {
  AbortResult,
  CallOptions,
  Connection,
  RunUpdate,
  WaitOptions,
} from "./agent-types.ts";
import type { ChatStorage } from "./chat-memory.ts";

/** What a chat asks of its agent, be it here or behind HTTP. */
export interface ChatAgent<Custom, Output> {
  readonly name: string;
  readonly metadata: AgentMetadata;
  connect(options?: CallOptions<Custom>): Connection<Custom, Output, unknown>;
  attach(runId: string, options?: WaitOptions): AsyncIterable<RunUpdate<unknown>>;
  abort(id: string): Promise<AbortResult>;
  waitFor(snapshotId: string, options?: WaitOptions): Promise<SessionSnapshot<Custom>>;
  getSnapshot(snapshotId: string): Promise<SessionSnapshot<Custom>>;
  getLatestSnapshot(sessionId: string): Promise<SessionSnapshot<Custom>>;
  listSnapshots(sessionId: string): Promise<readonly SessionSnapshot<Custom>[]>;
}

/** Which session a chat goes on with, and how it finds it again after a reload. */
export interface ChatOptions {
  /** The session to go on with: the one of before the reload, or a new one, unless told. */
  readonly sessionId?: string;
  /** Where to remember the session across reloads: `sessionStorage` unless told. */
  readonly storage?: ChatStorage;
  readonly storageKey?: string;
  /** What becomes of a message when the session is busy with somebody else's. */
  readonly onBusy?: "reject" | "queue" | "interrupt";
}
