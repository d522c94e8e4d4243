import type { LinkedSession, NumberedEvent, SessionContent } from "../ledger/index.ts";
import type {
  AgentFinishReason,
  AgentInput,
  Resume,
  RuntimeError,
  Json,
  JsonObject,
} from "../protocol/index.ts";
import type { Stop } from "./stop-switch.ts";
import type { JournaledStep, StepWork } from "./tool-steps.ts";

/** An input that was taken in and will become, or be part of, a turn. */
export interface SubmittedInput {
  readonly input: AgentInput;
  /** Which input of its run, from 0. */
  readonly number: number;
  /** Its turn has begun with it: the time for the turn runs. */
  readonly isClaimed?: boolean;
}

/** What a run starts from. */
export interface StartPoint {
  readonly content: SessionContent;
  /** The snapshot that holds it; absent where nothing is kept, or nothing yet. */
  readonly snapshotId?: string;
}

/** A turn that may work now. */
export interface BegunTurn {
  /** What it starts from. */
  readonly content: SessionContent;
  /** Reserved for its snapshot; absent where nothing is kept. */
  readonly snapshotId: string | undefined;
  readonly parentSnapshotId: string | undefined;
  readonly attempt: number;
  /** Says when the turn must stop. */
  readonly stop: Stop;
}

export interface TurnEnding {
  readonly content: SessionContent;
  readonly status: "completed" | "failed";
  readonly finishReason?: AgentFinishReason | undefined;
  readonly error?: RuntimeError | undefined;
  readonly usage?: JsonObject | undefined;
  /** What the turn was given, where its content does not say. */
  readonly input?: Json | undefined;
  /** Its input was refused: no snapshot is written. */
  readonly isRefused?: boolean;
}

/** What became of a turn: kept under an id, or stopped by somebody else before it could be. */
export type EndedTurn =
  | { readonly kind: "kept"; readonly snapshotId?: string }
  /** Other inputs of a detached run follow in the same snapshot. */
  | { readonly kind: "open" }
  /** Somebody aborted it. */
  | { readonly kind: "stopped" }
  /** Another worker has it. */
  | { readonly kind: "fenced" }
  /** The run has ended, and what it changed after its last turn could not be saved: somebody else had moved the session on. */
  | { readonly kind: "moved" };

/** Events as they become durable, as many at a time as are there. */
export type EventStream = AsyncIterable<readonly NumberedEvent[]>;

/**
 * Keeps what a run does. One for agents with a store, where each turn ends in a snapshot, and one for those without, where the client carries the
 * state: chosen once, so that the loop above knows no difference.
 */
export interface RunKeeper {
  readonly tenant: string;
  readonly sessionId: string;
  readonly runId: string;
  /** Called with events once clients may see them, in order. */
  readonly subscribe: (listener: (events: readonly NumberedEvent[]) => void) => void;
  /** What the first turn will start from, as far as is known before it begins. */
  readonly start: () => Promise<StartPoint>;
  /** Resolves when the input is durable. */
  readonly submit: (input: AgentInput) => Promise<SubmittedInput>;
  /** Resolves when the turn has the session to itself; nothing to wait for when it has. */
  readonly begin: (submitted: SubmittedInput) => Promise<BegunTurn> | BegunTurn;
  /**
   * The turn is given an answer to what its content waits for. Resolves with the id of that question, which is the same wherever it is answered; `undefined` when
   * nothing waits for this answer.
   *
   * @throws TurnkeepError FAILED_PRECONDITION when another turn has answered.
   */
  readonly answer: (content: SessionContent, resume: Resume) => Promise<string | undefined>;
  /** The turn has its input and is about to work. Notes the content for readers, where transforms decide by it. */
  readonly started: (content: SessionContent) => void;
  /** Streams a chunk, given as JSON. */
  readonly emit: (chunkJson: string) => void;
  /** `isLast`: no input will follow, as far as is known. */
  readonly end: (ending: TurnEnding, isLast: boolean) => Promise<EndedTurn>;
  /** The function of the agent is done; `content` is what the session holds now. */
  readonly close: (ending: TurnEnding) => Promise<EndedTurn> | EndedTurn;
  /** The run must stop: somebody else has ended it, or works on it. */
  readonly abandon: () => void;
  /** What the log says after a seq that this process did not tell; `undefined` when it has told everything. */
  readonly readOn: (after: number, signal: AbortSignal) => EventStream | undefined;
  /** Lets go of a turn that was stopped. */
  readonly release: () => Promise<void>;
  /** Does something outside the session that must not be done twice. */
  readonly step: (step: JournaledStep, work: StepWork) => Promise<Json>;
  /** Whether the agent's policy may ask for a snapshot after a round of tools. */
  readonly savesRounds: boolean;
  /** Saves what a running turn has come to, if somebody asked for it or the agent's policy does, and says under which id. */
  readonly saveRound: (content: SessionContent, isAsked: boolean) => Promise<string | undefined>;
  /** Notes that a session of another agent belongs to this one; nothing where nothing is kept. */
  readonly link: (linked: LinkedSession) => Promise<void>;
}
