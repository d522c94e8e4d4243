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
  /** Whether readers need to know what each turn starts from. */
  readonly notesStarts: boolean;
  readonly wantsSnapshot: SnapshotRule;
  /** When it may say yes, as far as that is known beforehand. */
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

/** What is saved of a turn that ends: the turn, how its run ends with it, or nothing. */
export type Saved = "turn" | "run" | "nothing";

/** What the rule wants saved of a turn that ends. Where its run ends with it, either end may want a snapshot. */
export function savedOf(
  { wantsSnapshot, snapshotEvents }: StoredRunOptions,
  { start, claim }: Pick<OpenTurn, "start" | "claim">,
  { what, content }: { readonly what: Ended; readonly content: SessionContent },
): Saved | Promise<Saved> {
  const wants = (event: SnapshotEvent): boolean | Promise<boolean> =>
    snapshotEvents.includes(event) &&
    wantsSnapshot({ event, content, previous: start, turnIndex: claim.turn });
  // What is known is not awaited.
  const wanted = wants("turnEnd");
  if (wanted === true) return "turn";
  if (what === "turn" && wanted === false) return "nothing";
  return laterSaved(wanted, what === "turn" ? () => false : () => wants("runEnd"));
}

async function laterSaved(
  ofTurn: false | Promise<boolean>,
  ofRun: () => boolean | Promise<boolean>,
): Promise<Saved> {
  if (await ofTurn) return "turn";
  return (await ofRun()) ? "run" : "nothing";
}

/** Where an input comes in its run. */
interface Place {
  readonly number: number;
  /** Behind others of the run that are not worked on yet. */
  readonly isBehindOwn: boolean;
  /** The snapshot to start from; the head when absent. */
  readonly parentId: string | undefined;
  readonly seen?: SeenSession;
}

/** An input of the run, as the ledger takes it in. */
export function submissionOf(
  { runId, onBusy, leaseMs, first }: StoredRunOptions,
  input: AgentInput,
  { number, isBehindOwn, parentId, seen }: Place,
): Submission {
  const start = number === 0 ? first : undefined;
  return {
    input,
    run: { runId, turn: number },
    onBusy: isBehindOwn ? "queue" : onBusy,
    begin: !isBehindOwn,
    reservedMs: 2 * leaseMs,
    detached: input.detach,
    parentId,
    requestId: start?.requestId,
    expectedHead: start?.expectedHead,
    principal: first?.principal,
    metadata: start?.metadata,
    seen,
  };
}

/** What ends: a turn, one that is taken to be the last of its run, or the run with whatever turn is open. */
export type Ended = "turn" | "lastTurn" | "run";

/** The last turn of the run that ended. */
export interface LastTurn {
  /** The snapshot it left; absent when it left none. */
  readonly snapshotId: string | undefined;
  /** The snapshots that the next turn starts from, unless somebody else moves the session on: the last one of this run, and the head. */
  readonly base: string | undefined;
  readonly head: string | null;
  /** What was saved last, and what the session holds. */
  readonly saved: SessionContent;
  readonly content: SessionContent;
}
