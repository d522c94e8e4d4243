import {
  type HeadRecord,
  type Ledger,
  type RunSummary,
  type SessionKey,
  SessionTree,
  type Snapshot,
  type StoreCapabilities,
  turnInTheWay,
} from "../ledger/index.ts";
import { type JsonObject, type SessionSnapshot, TurnkeepError } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { AgentLimits, ToolDescription } from "./agent-options.ts";
import type { ReadOptions } from "./agent.ts";
import { checkOptions, LIST_OPTIONS } from "./check-options.ts";
import { type Located, locate, locateSession, missingSnapshot, readerOf } from "./locate.ts";
import { toPublicId } from "./public-id.ts";
import { describePending, describeSnapshot, isExpired } from "./snapshot-view.ts";

/** Which snapshot a session goes on from, and how it ended. */
export interface InspectedHead {
  readonly snapshotId: string;
  readonly status: SessionSnapshot["status"];
  readonly finishReason?: SessionSnapshot["finishReason"];
}

/** A session as its head record tells it. Times are milliseconds since 1970. */
export interface InspectedSession {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Whether a turn runs or waits. */
  readonly isBusy: boolean;
  /** Whether the worker of its turn has been silent for long, and nobody has taken it over. */
  readonly isExpired: boolean;
  readonly head?: InspectedHead;
  readonly title?: string;
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly labels: readonly { readonly name: string; readonly snapshotId: string }[];
  readonly pins: readonly string[];
  readonly forkedFrom?: { readonly sessionId: string; readonly snapshotId: string };
  readonly messageCount: number;
  readonly artifactCount: number;
  /** Committed so far. */
  readonly snapshotCount: number;
  readonly branchCount: number;
  /** Rises whenever the session changes. */
  readonly revision: string;
}

/** A snapshot without its state. */
export type InspectedSnapshot = Omit<SessionSnapshot<never>, "state"> & {
  readonly messageCount?: number;
  readonly artifactCount?: number;
  readonly forkedFrom?: { readonly sessionId: string; readonly snapshotId: string };
  /** What the turn was given, where its state does not say: when it was aborted, or answered an interrupt. */
  readonly input?: unknown;
};

/** A run, as its session remembers it. */
export type InspectedRun = Omit<RunSummary, "phase"> & {
  readonly sessionId: string;
  /** `expired`: its worker has been silent for long, and nobody has taken it over. */
  readonly phase: RunSummary["phase"] | "expired";
  /** When its worker last showed itself. */
  readonly heartbeatAt?: number;
};

type PageOptions = ReadOptions & {
  readonly limit?: number;
  readonly after?: string;
  readonly activity?: "active" | "idle";
};

/** What tools for developers see of an agent's sessions: everything but state, which only the agent itself shows. */
export class AgentInspector {
  readonly #definition: AgentDefinition<never>;

  constructor(definition: AgentDefinition<never>) {
    this.#definition = definition;
  }

  /** What the agent's author says of it. */
  get about(): JsonObject {
    return this.#definition.options.about ?? {};
  }

  /** What keeps its sessions, by name; absent for agents without a store. */
  get storeType(): string | undefined {
    const kind = this.#definition.options.store?.constructor.name;
    return kind?.replace(/Store$/, "").toLowerCase();
  }

  get storeCapabilities(): StoreCapabilities | undefined {
    return this.#definition.options.store?.capabilities;
  }

  /** How much its runs, turns and sessions may take. */
  get limits(): AgentLimits {
    return this.#definition.limits;
  }

  async describeTools(): Promise<readonly ToolDescription[]> {
    return (await this.#definition.options.describeTools?.()) ?? [];
  }

  /** Last updated first. */
  async listSessions(options: PageOptions = {}): Promise<{
    readonly sessions: readonly InspectedSession[];
    readonly next?: string;
  }> {
    checkOptions(options, LIST_OPTIONS);
    const { ledger, key } = await this.#session("any", readerOf(options));
    const { limit = 50, after, activity } = options;
    const page = await ledger.store.list(key.scope, {
      agent: key.agent,
      limit,
      ...(after !== undefined && { after }),
      ...(activity !== undefined && { activity }),
    });
    const sessions = await Promise.all(
      page.sessions.map((found) => this.#inspect(ledger, found.key, found.record)),
    );
    return { sessions, ...(page.next !== undefined && { next: page.next }) };
  }

  /** @throws TurnkeepError NOT_FOUND. */
  async getSession(sessionId: string, options: ReadOptions = {}): Promise<InspectedSession> {
    const { ledger, key } = await this.#session(sessionId, options);
    const { record } = await ledger.store.load(key);
    if (record === null || record.deletedAt !== undefined) throw this.#missingSession(sessionId);
    return await this.#inspect(ledger, key, record);
  }

  /** The whole tree, oldest first, pending ones last. */
  async listSnapshots(
    sessionId: string,
    options: ReadOptions = {},
  ): Promise<readonly InspectedSnapshot[]> {
    const { ledger, key } = await this.#session(sessionId, options);
    const { record, now } = await ledger.store.load(key);
    if (record === null || record.deletedAt !== undefined) throw this.#missingSession(sessionId);
    const { leaseMs } = this.#definition.limits;
    const listed = await new SessionTree(ledger).list(key);
    return listed.map((snapshot) =>
      snapshot.status === "pending"
        ? describePending(sessionId, snapshot, { now, leaseMs })
        : this.#inspectSnapshot(sessionId, snapshot, options),
    );
  }

  /** One that is committed. @throws TurnkeepError NOT_FOUND. */
  async getSnapshot(snapshotId: string, options: ReadOptions = {}): Promise<InspectedSnapshot> {
    const { ledger, key, id } = await locate(this.#definition, snapshotId, options);
    const { snapshot } = await new SessionTree(ledger).peek(key, id);
    if (snapshot === undefined) throw missingSnapshot(this.#definition.name, snapshotId);
    return this.#inspectSnapshot(key.sessionId, snapshot, options);
  }

  /** The snapshots at which the artifacts became other ones, from this one back to the first of its branch. @throws TurnkeepError NOT_FOUND. */
  async listArtifactChanges(
    snapshotId: string,
    options: ReadOptions = {},
  ): Promise<readonly InspectedSnapshot[]> {
    const { ledger, key, id } = await locate(this.#definition, snapshotId, options);
    const listed = await new SessionTree(ledger).list(key);
    const byId = new Map(
      listed.flatMap((one) => (one.status === "pending" ? [] : [[one.snapshotId, one] as const])),
    );
    let at = byId.get(id);
    if (at === undefined) throw missingSnapshot(this.#definition.name, snapshotId);
    const changes: InspectedSnapshot[] = [];
    while (at) {
      const parent = byId.get(at.parentId ?? "");
      // One without content of its own shows its parent's.
      const isOther = at.hash !== undefined && at.hash.artifacts !== parent?.hash?.artifacts;
      if (isOther) changes.push(this.#inspectSnapshot(key.sessionId, at, options));
      at = parent;
    }
    return changes;
  }

  /** The runs of a session, first started first. */
  async listRuns(sessionId: string, options: ReadOptions = {}): Promise<readonly InspectedRun[]> {
    const { ledger, key } = await this.#session(sessionId, options);
    const { now } = await ledger.store.load(key);
    const runs = await new SessionTree(ledger).listRuns(key);
    return runs.map((run) => this.#inspectRun(sessionId, run, now));
  }

  async #inspect(ledger: Ledger, key: SessionKey, record: HeadRecord): Promise<InspectedSession> {
    const { sessionId } = key;
    const { head, about, labels, pins, forkedFrom, counts } = record;
    const { snapshot, now } = await new SessionTree(ledger).peek(key, head);
    const active = turnInTheWay(record.active, now);
    const toId = (id: string): string => toPublicId({ sessionId, id });
    return {
      sessionId,
      createdAt: record.createdAt,
      updatedAt: record.updatedAt,
      isBusy: active !== null || record.queue.length > 0,
      isExpired: this.#isExpired(active?.leaseUntil, now),
      ...(snapshot && { head: headOf(sessionId, snapshot) }),
      ...(about?.title !== undefined && { title: about.title }),
      tags: about?.tags ?? [],
      metadata: about?.metadata ?? {},
      labels: labels.map(({ name, snapshotId }) => ({ name, snapshotId: toId(snapshotId) })),
      pins: pins.map(toId),
      ...(forkedFrom && { forkedFrom: publicOrigin(forkedFrom) }),
      messageCount: counts.messages,
      artifactCount: counts.artifacts,
      snapshotCount: record.rev,
      branchCount: record.branches,
      revision: revisionOf(record),
    };
  }

  #inspectRun(sessionId: string, run: RunSummary, now: number): InspectedRun {
    const { leaseMs } = this.#definition.limits;
    const { leaseUntil, parentId } = run;
    const isLost = run.phase === "running" && this.#isExpired(leaseUntil, now);
    return {
      ...run,
      runId: toPublicId({ sessionId, id: run.runId }),
      sessionId,
      phase: isLost ? "expired" : run.phase,
      snapshotIds: run.snapshotIds.map((id) => toPublicId({ sessionId, id })),
      ...(leaseUntil !== undefined && { heartbeatAt: leaseUntil - leaseMs }),
      ...(parentId !== undefined && { parentId: toPublicId({ sessionId, id: parentId }) }),
    };
  }

  #inspectSnapshot(sessionId: string, snapshot: Snapshot, options: ReadOptions): InspectedSnapshot {
    const { counts, forkedFrom, input } = snapshot;
    const isRedacted = this.#definition.isRedacted(options);
    return {
      ...describeSnapshot(sessionId, snapshot, { isRedacted }),
      ...(counts && { messageCount: counts.messages, artifactCount: counts.artifacts }),
      ...(forkedFrom && { forkedFrom: publicOrigin(forkedFrom) }),
      ...(input !== undefined && { input }),
    };
  }

  #isExpired(leaseUntil: number | undefined, now: number): boolean {
    const { leaseMs } = this.#definition.limits;
    return leaseUntil !== undefined && isExpired(leaseUntil, { now, leaseMs });
  }

  async #session(sessionId: string, options: ReadOptions): Promise<Located> {
    return await locateSession(this.#definition, sessionId, options);
  }

  #missingSession(sessionId: string): TurnkeepError {
    return new TurnkeepError(
      "NOT_FOUND",
      `Session '${sessionId}' not found for agent '${this.#definition.name}'.`,
    );
  }
}

function headOf(sessionId: string, { snapshotId, status, finishReason }: Snapshot): InspectedHead {
  return {
    snapshotId: toPublicId({ sessionId, id: snapshotId }),
    status,
    ...(finishReason !== undefined && { finishReason }),
  };
}

function publicOrigin(origin: { readonly sessionId: string; readonly snapshotId: string }): {
  readonly sessionId: string;
  readonly snapshotId: string;
} {
  const { sessionId, snapshotId } = origin;
  return { sessionId, snapshotId: toPublicId({ sessionId, id: snapshotId }) };
}

// Not a hash: only what changes when anything does.
function revisionOf({
  rev,
  epoch,
  updatedAt,
  active,
  queue,
  labels,
  pins,
  about,
}: HeadRecord): string {
  const notes = JSON.stringify([labels, pins, about ?? null]);
  return [rev, epoch, updatedAt, active?.claimId ?? "", queue.length, notes].join("/");
}
