import type {
  BusyPolicy,
  Claim,
  Ledger,
  SeenSession,
  SessionContent,
  SessionKey,
  Submission,
} from "../ledger/index.ts";
import type { AgentInput, JsonObject } from "../protocol/index.ts";
import type { SnapshotEvent } from "./agent-options.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { OpenTurn } from "./open-turn.ts";

export interface StoredRunOptions {
  readonly ledger: Ledger;
  /** Makes sure that the store is open; nothing to wait for when it is. */
  readonly open: () => Promise<unknown> | undefined;
  readonly key: SessionKey;
  readonly runId: string;
  readonly leaseMs: number;
  readonly stepsPerTurn: number;
  readonly onBusy: BusyPolicy;
  readonly keepsChunks: boolean;
  readonly wantsSnapshot: SnapshotRule;
  /** When a snapshot may be saved, as far as that is known before anything has happened. */
  readonly snapshotEvents: readonly SnapshotEvent[];
  /** How the first input is taken in. */
  readonly first?: FirstInput;
  /** Who is told of turns that go to workers; without one there are none. */
  readonly dispatcher?: Dispatcher;
  /** A turn that this process claimed from another's run. */
  readonly adopted?: Claim;
}

export interface FirstInput {
  /** The snapshot to start from; the head when absent. */
  readonly parentId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly expectedHead?: string | null | undefined;
  readonly principal?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** Whether the content of a turn, or of the run's end, is to be kept. */
export type SnapshotRule = (moment: SnapshotMoment) => boolean | Promise<boolean>;

interface SnapshotMoment {
  readonly event: SnapshotEvent;
  readonly content: SessionContent;
  readonly previous: SessionContent;
  readonly turnIndex: number;
}

/** The end of a turn, as the rule is asked about it. */
export function momentOf(
  what: Ended,
  { start, claim }: Pick<OpenTurn, "start" | "claim">,
  content: SessionContent,
): SnapshotMoment {
  const event = what === "run" ? "runEnd" : "turnEnd";
  return { event, content, previous: start, turnIndex: claim.turn };
}

/** Where an input comes in its run. */
interface Place {
  readonly number: number;
  /** Behind others of the run that are not worked on yet. */
  readonly isBehindOwn: boolean;
  readonly seen?: SeenSession;
}

/** An input of the run, as the ledger takes it in. */
export function submissionOf(
  { runId, onBusy, leaseMs, first }: StoredRunOptions,
  input: AgentInput,
  { number, isBehindOwn, seen }: Place,
): Submission {
  const start = number === 0 ? first : undefined;
  return {
    input,
    run: { runId, turn: number },
    onBusy: isBehindOwn ? "queue" : onBusy,
    begin: !isBehindOwn,
    reservedMs: 2 * leaseMs,
    detached: input.detach,
    parentId: start?.parentId,
    requestId: start?.requestId,
    expectedHead: start?.expectedHead,
    principal: first?.principal,
    metadata: start?.metadata,
    seen,
  };
}

/** What ends: a turn, one that is taken to be the last of its run, or the run with whatever turn is open. */
export type Ended = "turn" | "lastTurn" | "run";

/** The last turn that ended: what was kept of it, and what the session holds. */
export interface LastTurn {
  readonly snapshotId: string;
  readonly isKept: boolean;
  readonly kept: SessionContent;
  readonly content: SessionContent;
}
