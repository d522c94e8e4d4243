import type {
  AgentFinishReason,
  AgentInit,
  AgentInput,
  AgentResult,
  Artifact,
  Json,
  JsonObject,
  Message,
  ModelChunk,
} from "../protocol/index.ts";
import type { AgentStreamChunk } from "../protocol/index.ts";
import type { LinkedSession } from "../ledger/index.ts";
import type { CallContext } from "./call-context.ts";
import type { Session } from "./session.ts";
import type { StepContext, StepOptions } from "./tool-steps.ts";

/** The loop of a custom agent. It runs once for each run; `session.run` calls its handler once for each input. */
export type AgentFunction<Custom = Json, Status = Json, Absent = undefined> = (
  tools: AgentTools<Custom, Status, Absent>,
) => Promise<AgentResult | void> | AgentResult | void;

/** What an agent's function is given: the session, the way to its listeners, and who calls. */
export interface AgentTools<Custom = Json, Status = Json, Absent = undefined> {
  readonly session: RunSession<Custom, Absent>;
  readonly respond: Responder<Status>;
  /** Aborts when the run must stop. Each turn has a signal of its own besides. */
  readonly signal: AbortSignal;
  readonly context: CallContext;
  /** Whose session it is. */
  readonly tenant: string;
  readonly init: AgentInit<Custom>;
}

/** A session that takes turns. */
export interface RunSession<Custom = Json, Absent = undefined> extends Session<Custom, Absent> {
  /**
   * Calls the handler for every input until there are no more. The input's message is in the history by then. A handler that throws ends its turn as
   * failed and the loop with the same error; catch it and call `run` again to go on with the next input.
   */
  readonly run: (handler: TurnHandler) => Promise<void>;
  /** Whether every input was handed out and no more will come. */
  readonly hasNoMoreInputs: () => boolean;
  /** The last message and all artifacts: what most agents answer with. */
  readonly result: () => AgentResult;
}

/** Works on one input. What it throws ends its turn as failed, and `session.run` rejects with it. */
export type TurnHandler = (
  input: AgentInput,
  turn: TurnContext,
) => Promise<TurnResult | void> | TurnResult | void;

/** How a turn ended, in its handler's own words. */
export interface TurnResult {
  readonly finishReason?: AgentFinishReason | undefined;
  /** What the turn used up: tokens and the like. Kept with its snapshot. */
  readonly usage?: JsonObject | undefined;
}

/** What a handler knows of its turn before it does the work. */
export interface TurnContext {
  readonly sessionId: string;
  /** Whose session it is. */
  readonly tenant: string;
  /** What the caller of the run said of itself. */
  readonly context: CallContext;
  /**
   * The id its snapshot will have: for naming things outside after it. Absent where no snapshot will be saved; a `snapshotWhen` that is a function decides at
   * the end of the turn, after this was given out.
   */
  readonly snapshotId?: string;
  readonly parentSnapshotId?: string;
  /** Names the interrupt that the turn answers, if it does: the same in every branch and fork. */
  readonly questionId?: string;
  /** Which turn of its run, from 0. */
  readonly turnIndex: number;
  /** How often this turn was begun, this time included. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Keeps what the session holds now even if the turn fails later on. */
  readonly keep: () => void;
  /**
   * Saves what the session holds now in a snapshot of its own, which can be read, forked and resumed while the turn goes on and afterwards; its event is
   * `tool-round`. The session's head stays, and what a worker that takes the turn over starts from. Resolves to its id; to `undefined` without a store, and
   * where the agent's policy is to save none. A turn may save 64.
   */
  readonly snapshot: () => Promise<string | undefined>;
  /** Says that a round of tools is over: saves a snapshot like `snapshot`, if the agent's policy asks for one after each. Genkit agents call it by themselves. */
  readonly endToolRound: () => Promise<string | undefined>;
  /**
   * Says that a session of another agent, of the same tenant, belongs to this one: it is deleted along with it. Sub-agents of Genkit agents are linked by
   * themselves. Call it before the other session is used, so that none is left behind.
   */
  readonly linkSession: (linked: LinkedSession) => Promise<void>;
  /** Does something outside the session that must not be done twice; see {@link StepOptions}. */
  readonly step: <Output extends Json>(
    step: { readonly name: string; readonly input: Json } & StepOptions,
    work: (context: StepContext) => Promise<Output> | Output,
  ) => Promise<Output>;
}

/** What an agent says while it works. */
export interface Responder<Status = Json> {
  /** A piece of the model's answer. */
  readonly modelChunk: (chunk: ModelChunk) => void;
  /** A piece of the model's answer that is text. It is streamed only: add the whole message to the session, or use `message`. */
  readonly text: (text: string) => void;
  /** Adds the message to the session and streams it whole; a text becomes the model's message. */
  readonly message: (message: string | Message) => void;
  /** Adds the artifact to the session and streams it; one of the same name is replaced. */
  readonly artifact: (artifact: Artifact) => void;
  readonly status: (status: Status) => void;
  /**
   * Any chunk as it is, but for those that the runtime sends itself: the end of a turn, and patches of the state.
   *
   * @throws TurnkeepError INVALID_ARGUMENT for one of these.
   */
  readonly chunk: (chunk: Omit<AgentStreamChunk<Status>, "turnEnd" | "customPatch">) => void;
}
