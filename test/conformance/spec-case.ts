import type { Json } from "turnkeep/protocol";

/** A case of a spec file: steps that one agent is taken through. */
export interface SpecCase {
  readonly name: string;
  readonly agent: string;
  readonly steps: readonly Step[];
}

export type Step = SendStep | ReadStep | WaitStep | AbortStep;

/** One run of the agent. */
export interface SendStep extends CaptureNames {
  readonly type: "send";
  readonly init?: {
    readonly snapshotId?: string;
    readonly sessionId?: string;
    readonly state?: Json;
  };
  readonly inputs: readonly Json[];
  /** What the model streams, call by call. */
  readonly streamChunks: readonly (readonly Json[])[];
  /** What the model answers, call by call. */
  readonly modelResponses: readonly Json[];
  readonly expectChunks?: readonly ChunkExpectation[];
  readonly expectOutput?: OutputExpectation;
  readonly expectError?: ErrorExpectation;
}

/** Names a snapshot by one of its ids. */
export interface ReadStep extends CaptureNames {
  readonly type: "getSnapshotData";
  readonly snapshotId?: string;
  readonly sessionId?: string;
  /** `null`: there must be none. */
  readonly expectSnapshot?: SnapshotExpectation | null;
  readonly expectError?: ErrorExpectation;
}

export interface WaitStep extends Omit<ReadStep, "type"> {
  readonly type: "waitUntilCompleted";
  /** Milliseconds, under either name. */
  readonly timeout?: number;
  readonly timeoutMs?: number;
}

export interface AbortStep {
  readonly type: "abort";
  readonly snapshotId: string;
  /** `null`: there must have been no such snapshot. */
  readonly expectPreviousStatus?: string | null;
  readonly expectError?: ErrorExpectation;
}

/** What later steps can say `{{name}}` for. */
export interface CaptureNames {
  readonly captureSnapshotId?: string;
  readonly captureState?: string;
  readonly captureSessionId?: string;
}

/** `null`: it must be absent. */
type Exactly = string | null;

export interface OutputExpectation {
  readonly finishReason?: Exactly;
  readonly sessionId?: Exactly;
  readonly snapshotId?: Exactly;
  readonly message?: Json;
  readonly hasMessage?: boolean;
  readonly hasSessionId?: boolean;
  readonly hasSnapshotId?: boolean;
  readonly hasState?: boolean;
  readonly hasArtifacts?: boolean;
  readonly hasError?: boolean;
  readonly stateContains?: Json;
  readonly artifactsContain?: Json;
  readonly errorContains?: ErrorExpectation;
}

export interface SnapshotExpectation {
  readonly status?: Exactly;
  readonly finishReason?: Exactly;
  readonly sessionId?: Exactly;
  readonly snapshotId?: Exactly;
  readonly parentId?: Exactly;
  readonly hasSessionId?: boolean;
  readonly hasSnapshotId?: boolean;
  readonly hasParentId?: boolean;
  readonly hasState?: boolean;
  readonly hasError?: boolean;
  readonly stateContains?: Json;
  readonly artifactsContain?: Json;
  readonly errorContains?: ErrorExpectation;
}

export interface ChunkExpectation {
  readonly modelChunk?: Json;
  readonly customPatch?: Json;
  readonly artifact?: Json;
  readonly status?: Json;
  /** `null`: nothing is expected of it but that it is there. */
  readonly turnEnd?: TurnEndExpectation | null;
}

export interface TurnEndExpectation {
  readonly finishReason?: Exactly;
  readonly snapshotId?: Exactly;
  readonly hasSnapshotId?: boolean;
}

export interface ErrorExpectation {
  readonly status?: string;
  /** A part of the message. */
  readonly message?: string;
  readonly details?: Json;
}
