import type { Artifact, Json, JsonObject, Message, Part } from "turnkeep/protocol";

export interface StudioInfo {
  readonly name?: string;
  readonly version?: string;
  readonly apiVersion: number;
  readonly readOnly: boolean;
  readonly revealRaw: boolean;
  readonly prices?: {
    readonly currency: string;
    readonly perMillion: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
  readonly capabilities: Readonly<
    Record<"sessions" | "runs" | "traces" | "stats" | "execute" | "write", boolean>
  >;
}

export interface AgentSummary {
  readonly name: string;
  readonly description?: string;
  readonly hasStore: boolean;
  readonly storeType?: string;
  readonly metadata: JsonObject & {
    readonly agent?: {
      readonly stateManagement?: string;
      readonly abortable?: boolean;
      readonly redacts?: boolean;
    };
  };
}

export interface ToolDescription {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly interrupt?: boolean;
}

export interface AgentDetail extends AgentSummary {
  readonly initSchema: JsonObject;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly streamSchema: JsonObject;
  readonly stateSchema?: JsonObject;
  readonly tools: readonly ToolDescription[];
}

export interface SessionHead {
  readonly snapshotId: string;
  readonly status?: string;
  readonly finishReason?: string;
}

export interface SessionSummary {
  readonly sessionId: string;
  readonly agentName: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messageCount: number;
  readonly artifactCount: number;
  readonly snapshotCount: number;
  readonly branchCount: number;
  readonly title?: string;
  readonly tags: readonly string[];
  readonly isBusy: boolean;
  readonly isExpired: boolean;
  readonly head?: SessionHead;
}

export interface SessionDetail extends SessionSummary {
  readonly usage: Readonly<Record<string, number>>;
  readonly cost?: number;
}

export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  readonly continuationToken?: string;
  readonly scanned: number;
}

export interface SnapshotMeta {
  readonly snapshotId: string;
  readonly parentId?: string;
  readonly runId?: string;
  readonly createdAt: string;
  readonly updatedAt?: string;
  readonly heartbeatAt?: string;
  readonly status?: string;
  readonly finishReason?: string;
  readonly error?: { readonly status?: string; readonly message?: string };
  readonly usage?: JsonObject;
  /** Where its tokens have a price. */
  readonly cost?: number;
  readonly event: "turn-end" | "invocation-end" | "tool-round" | "edit" | "fork";
  readonly contentHash?: string;
  readonly turnIndex?: number;
  readonly messageCount?: number;
  readonly artifactCount?: number;
  readonly labels?: readonly string[];
  readonly isPinned?: boolean;
}

export interface SnapshotPage {
  readonly head?: string;
  readonly total: number;
  readonly snapshots: readonly SnapshotMeta[];
  readonly continuationToken?: string;
}

export interface SnapshotDetail extends SnapshotMeta {
  readonly state?: {
    readonly custom?: Json;
    readonly artifacts?: readonly Artifact[];
    readonly messages?: readonly Message[];
  };
}

/** A part that is too long to be sent along. */
export interface ElidedPart {
  readonly elided: true;
  readonly kind: string;
  readonly bytes: number;
  readonly ref: string;
}

export interface ShownMessage {
  readonly role: Message["role"];
  readonly content: readonly (Part | ElidedPart)[];
  readonly metadata?: JsonObject;
}

export interface MessagePage {
  readonly snapshotId: string;
  readonly total: number;
  readonly offset: number;
  readonly messages: readonly ShownMessage[];
}

export interface OpenInterrupt {
  readonly ref?: string;
  readonly name: string;
  readonly input?: Json;
  readonly interrupt: Json;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly canRestart: boolean;
  readonly part: Part;
}

export interface RunSummary {
  readonly runId: string;
  readonly sessionId: string;
  readonly agentName: string;
  readonly status: "running" | "queued" | "open" | "expired" | "completed" | "failed" | "aborted";
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly heartbeatAt?: number;
  readonly snapshotIds: readonly string[];
  readonly isReadable: boolean;
  readonly isDetached: boolean;
  readonly isHere: boolean;
  readonly attempt?: number;
  /** While it runs: what its turn started from. */
  readonly parentId?: string;
  readonly traceId?: string;
}

export interface TraceSummary {
  readonly traceId: string;
  readonly name: string;
  readonly startTime: number;
  readonly endTime?: number;
  readonly status: "running" | "success" | "error";
  readonly spanCount: number;
  readonly agentName?: string;
  readonly sessionId?: string;
  readonly runId?: string;
  readonly snapshotIds: readonly string[];
}

/** What is drawn of a span. */
export interface LightSpan {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: "model" | "tool" | "agent" | "other";
  readonly startTime: number;
  readonly endTime?: number;
  readonly statusCode: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Span extends LightSpan {
  readonly attributes: Readonly<Record<string, Json>>;
  readonly events: readonly { readonly name: string; readonly time: number }[];
}

export interface TraceDetail extends TraceSummary {
  readonly spans: readonly LightSpan[];
  readonly droppedSpans: number;
}

export interface Percentiles {
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
}

export interface CallStats {
  readonly calls: number;
  readonly errors: number;
  readonly durationMs: Percentiles | null;
}

export interface Stats {
  readonly from: number;
  readonly to: number;
  readonly counted: {
    readonly sessions: number;
    readonly turns: number;
    readonly isComplete: boolean;
  };
  readonly turns: {
    readonly total: number;
    readonly byStatus: Readonly<Record<string, number>>;
    readonly byFinishReason: Readonly<Record<string, number>>;
  };
  readonly errors: Readonly<Record<string, number>>;
  readonly usage: Readonly<Record<string, number>>;
  readonly cost?: { readonly amount: number; readonly currency: string; readonly turns: number };
  readonly durationMs: Percentiles | null;
  readonly series: readonly {
    readonly time: number;
    readonly turns: number;
    readonly failed: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    /** How long turns took, in milliseconds. */
    readonly p50: number | null;
    readonly p95: number | null;
  }[];
  readonly byModel?: Readonly<Record<string, CallStats>>;
  readonly byTool?: Readonly<Record<string, CallStats>>;
}

export interface SnapshotDiff {
  readonly from: string;
  readonly to: string;
  readonly custom: readonly { readonly op: string; readonly path: string; readonly value?: Json }[];
  readonly messages: {
    readonly common: number;
    readonly removed: readonly Message[];
    readonly added: readonly Message[];
  };
  readonly artifacts: {
    readonly added: readonly Artifact[];
    readonly removed: readonly Artifact[];
    readonly changed: readonly {
      readonly name: string;
      readonly before: Artifact;
      readonly after: Artifact;
    }[];
  };
}
