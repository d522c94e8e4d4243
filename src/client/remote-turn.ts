import type { AgentInput, AgentOutputData, Json } from "../protocol/index.ts";
import type { CallOptions, RunUpdate } from "./agent-types.ts";

export interface RunName {
  /** Empty until the server has said it. */
  readonly runId: string;
  readonly sessionId: string;
}

/** One input on its way, and what comes of it. */
export interface RemoteTurn<Custom = Json, Output = Json> extends RunName {
  /** Resolves when the server has taken the input in. */
  start(): Promise<void>;
  /** Everything that happens, each event once; then how it came out. */
  updates(): AsyncGenerator<RunUpdate, AgentOutputData<Custom, Output>>;
  /** Stops the run. Reading on shows how it ends. */
  abort(): Promise<void>;
  /** Stops reading. The run goes on. */
  leave(): void;
}

/** Where a turn starts. */
export type TurnStart<Custom = Json> = {
  readonly [Option in keyof CallOptions<Custom>]?: CallOptions<Custom>[Option] | undefined;
};

/** What a turn is to do. */
export type TurnRequest<Custom = Json> = TurnStart<Custom> & { readonly input: AgentInput };

/** How one kind of server is talked to. */
export interface Dialect<Custom = Json, Output = Json> {
  /** Whether the server goes on at the head of the session, and queues turns there; else each begins with what the one before ended in. */
  readonly knowsHead: boolean;
  readonly turn: (request: TurnRequest<Custom>) => RemoteTurn<Custom, Output>;
}
