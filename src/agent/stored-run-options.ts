import type { BusyPolicy, Claim, Ledger, SessionContent, SessionKey } from "../ledger/index.ts";

export interface StoredRunOptions {
  readonly ledger: Ledger;
  /** Makes sure that the store is open. */
  readonly open: () => Promise<unknown>;
  readonly key: SessionKey;
  readonly runId: string;
  readonly leaseMs: number;
  readonly stepsPerTurn: number;
  readonly onBusy: BusyPolicy;
  readonly keepsChunks: boolean;
  readonly wantsSnapshot: SnapshotRule;
  /** How the first input is taken in. */
  readonly first?: FirstInput;
  /** A turn that this process claimed from another's run. */
  readonly adopted?: Claim;
}

export interface FirstInput {
  /** The snapshot to start from; the head when absent. */
  readonly parentId?: string;
  readonly requestId?: string;
  readonly expectedHead?: string | null;
  readonly principal?: string;
}

/** Whether the content of a turn, or of the run's end, is to be kept. */
export type SnapshotRule = (moment: {
  readonly event: "turnEnd" | "runEnd";
  readonly content: SessionContent;
  readonly previous: SessionContent;
  readonly turnIndex: number;
}) => boolean;
