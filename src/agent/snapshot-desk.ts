import {
  type Annotation,
  type ContentComparison,
  exportSession,
  followRun,
  type ImportAnswer,
  importSession,
  type Ledger,
  type PendingSnapshot,
  type SessionKey,
  SessionTree,
  type Snapshot,
} from "../ledger/index.ts";
import { parseSessionState, type SessionSnapshot, TurnkeepError } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { AbortResult, Agent, ReadOptions, SessionList } from "./agent.ts";
import type { RunUpdate } from "./client-view.ts";
import { contentOf } from "./open-run.ts";
import { findPublicId, getPublicId, toPublicId } from "./public-id.ts";
import { describePending, describeSnapshot, withState } from "./snapshot-view.ts";
import { checkCustom } from "./state-schema.ts";

type Reader<Name extends keyof Agent> = Parameters<
  Extract<Agent[Name], (...values: never[]) => unknown>
>;

/** Everything about an agent's sessions that is not talking to it. Shows what the agent's transforms let the caller see. */
export class SnapshotDesk<Custom> {
  readonly #definition: AgentDefinition<Custom>;

  constructor(definition: AgentDefinition<Custom>) {
    this.#definition = definition;
  }

  async getSnapshot(
    snapshotId: string,
    options: ReadOptions = {},
  ): Promise<SessionSnapshot<Custom>> {
    const { ledger, key, id } = await this.#locate(snapshotId, options);
    const loaded = await ledger.snapshots.find(key, id);
    if (loaded === undefined) return await this.#pending(ledger, key, id);
    const described = describeSnapshot(key.sessionId, loaded.snapshot);
    const view = this.#definition.viewFor(key.sessionId, "", options.context);
    return withState(described, await view.stateOf(loaded.content));
  }

  async getLatestSnapshot(
    sessionId: string,
    options: ReadOptions = {},
  ): Promise<SessionSnapshot<Custom>> {
    const ledger = await this.#definition.open();
    const key = this.#definition.keyOf(sessionId, options.tenant);
    const head = await ledger.snapshots.findHead(key);
    if (head === undefined) {
      throw new TurnkeepError(
        "NOT_FOUND",
        `Session '${sessionId}' not found for agent '${this.#definition.name}'.`,
      );
    }
    const view = this.#definition.viewFor(sessionId, "", options.context);
    return withState(describeSnapshot(sessionId, head.snapshot), await view.stateOf(head.content));
  }

  async listSnapshots(
    sessionId: string,
    options: ReadOptions = {},
  ): Promise<readonly SessionSnapshot<Custom>[]> {
    const { tree, key } = await this.#session(sessionId, options);
    const now = (await this.#definition.ledger!.store.load(key)).now;
    return (await tree.list(key)).map((snapshot) => this.#describe(sessionId, snapshot, now));
  }

  async listSessions(options: Reader<"listSessions">[0] = {}): Promise<SessionList> {
    const ledger = await this.#definition.open();
    const { limit = 50, after, activity, tenant } = options;
    const { scope, agent } = this.#definition.keyOf("any", tenant);
    const page = await ledger.store.list(scope, {
      agent,
      limit,
      ...(after !== undefined && { after }),
      ...(activity !== undefined && { activity }),
    });
    const sessions = page.sessions.map(({ key: { sessionId }, record }) => ({
      sessionId,
      ...(record.head !== null && { snapshotId: toPublicId({ sessionId, id: record.head }) }),
      status:
        record.active !== null || record.queue.length > 0 ? ("active" as const) : ("idle" as const),
      createdAt: new Date(record.createdAt).toISOString(),
      updatedAt: new Date(record.updatedAt).toISOString(),
      messageCount: record.counts.messages,
      hasArtifacts: record.counts.artifacts > 0,
    }));
    return { sessions, ...(page.next !== undefined && { next: page.next }) };
  }

  async fork(
    snapshotId: string,
    options: NonNullable<Parameters<Agent<Custom>["fork"]>[1]> = {},
  ): Promise<SessionSnapshot<Custom>> {
    const { ledger, key, id } = await this.#locate(snapshotId, options);
    const sessionId = options.sessionId ?? this.#definition.ports.ids.next();
    const content = options.state && contentOf(parseSessionState(options.state));
    if (content) await checkCustom(this.#definition.options.state, content.custom, "state.custom");
    const tree = new SessionTree(ledger);
    const forked = await tree.fork(key, { snapshotId: id, sessionId, ...(content && { content }) });
    if (forked.kind === "exists") {
      throw new TurnkeepError(
        "ALREADY_EXISTS",
        `Session '${sessionId}' exists already. Choose another id.`,
      );
    }
    return await this.getLatestSnapshot(sessionId, options);
  }

  async diff(
    fromSnapshotId: string,
    toSnapshotId: string,
    options: ReadOptions = {},
  ): Promise<ContentComparison> {
    const from = await this.#locate(fromSnapshotId, options);
    const to = await this.#locate(toSnapshotId, options);
    if (from.key.sessionId !== to.key.sessionId) {
      throw new TurnkeepError("INVALID_ARGUMENT", "Only snapshots of one session can be compared.");
    }
    return await new SessionTree(from.ledger).compare(from.key, from.id, to.id);
  }

  async label(sessionId: string, annotation: Annotation, options: ReadOptions = {}): Promise<void> {
    const { tree, key } = await this.#session(sessionId, options);
    const noted = await tree.annotate(key, internal(annotation));
    if (noted.kind === "no-such-snapshot")
      throw new TurnkeepError("NOT_FOUND", "The snapshot to note is not there.");
    if (noted.kind === "too-many") {
      throw new TurnkeepError(
        "RESOURCE_EXHAUSTED",
        `A session holds at most ${noted.limit} of these. Remove some.`,
        {
          reason: "LIMIT_EXCEEDED",
        },
      );
    }
  }

  async deleteSession(sessionId: string, options: ReadOptions = {}): Promise<boolean> {
    const ledger = await this.#definition.open();
    return (
      (await ledger.remove(this.#definition.keyOf(sessionId, options.tenant))).kind === "removed"
    );
  }

  async *exportSession(sessionId: string, options: ReadOptions = {}): AsyncGenerator<string> {
    const ledger = await this.#definition.open();
    yield* exportSession(ledger, this.#definition.keyOf(sessionId, options.tenant));
  }

  async importSession(
    sessionId: string,
    lines: Iterable<string> | AsyncIterable<string>,
    options: ReadOptions = {},
  ): Promise<ImportAnswer> {
    const ledger = await this.#definition.open();
    return await importSession(ledger, this.#definition.keyOf(sessionId, options.tenant), lines);
  }

  async *attach(
    runId: string,
    {
      after = 0,
      signal,
      ...options
    }: ReadOptions & { readonly after?: number; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<RunUpdate> {
    const { ledger, key, id } = await this.#locate(runId, options);
    const view = this.#definition.viewFor(key.sessionId, id, options.context);
    // State patches build on each other, so they are shown from the beginning and only said from where the reader left.
    for await (const event of followRun(ledger, key, { runId: id, ...(signal && { signal }) })) {
      const update = await view.updateOf(event);
      if (event.seq > after) yield update;
    }
  }

  async waitFor(
    snapshotId: string,
    { signal, ...options }: ReadOptions & { readonly signal?: AbortSignal } = {},
  ): Promise<SessionSnapshot<Custom>> {
    const { ledger, key } = await this.#locate(snapshotId, options);
    const stop = new AbortController();
    const until = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const hints = ledger.store.watch(key, { signal: until })[Symbol.asyncIterator]();
    try {
      for (;;) {
        const snapshot = await this.getSnapshot(snapshotId, options);
        if (snapshot.status !== "pending") return snapshot;
        until.throwIfAborted();
        await Promise.race([
          hints.next(),
          ledger.ports.timers.sleep(500, { signal: until }).catch(() => {}),
        ]);
      }
    } finally {
      stop.abort(null);
    }
  }

  async abort(
    id: string,
    options: ReadOptions = {},
  ): Promise<AbortResult & { readonly runId?: string }> {
    const ledger = await this.#definition.open();
    const found = findPublicId(id);
    if (found === undefined) return {};
    const key = this.#definition.keyOf(found.sessionId, options.tenant);
    const bySnapshot = await ledger.abort(key, { snapshotId: found.id });
    const aborted =
      bySnapshot.kind === "none" ? await ledger.abort(key, { runId: found.id }) : bySnapshot;
    if (aborted.kind === "none") return {};
    if (aborted.kind === "ended") return { status: aborted.status, previousStatus: aborted.status };
    return { status: "aborted", previousStatus: "pending", runId: aborted.runId };
  }

  async #pending(ledger: Ledger, key: SessionKey, id: string): Promise<SessionSnapshot<Custom>> {
    const { now } = await ledger.store.load(key);
    const pending = (await new SessionTree(ledger).list(key)).find(
      ({ snapshotId }) => snapshotId === id,
    );
    if (pending) return this.#describe(key.sessionId, pending, now);
    const name = toPublicId({ sessionId: key.sessionId, id });
    throw new TurnkeepError(
      "NOT_FOUND",
      `Snapshot '${name}' not found for agent '${this.#definition.name}'.`,
    );
  }

  #describe(
    sessionId: string,
    snapshot: Snapshot | PendingSnapshot,
    now: number,
  ): SessionSnapshot<Custom> {
    const { leaseMs } = this.#definition.limits;
    return snapshot.status === "pending"
      ? describePending(sessionId, snapshot, { now, leaseMs })
      : describeSnapshot(sessionId, snapshot);
  }

  async #session(
    sessionId: string,
    { tenant }: ReadOptions,
  ): Promise<{ readonly tree: SessionTree; readonly key: SessionKey }> {
    const ledger = await this.#definition.open();
    return { tree: new SessionTree(ledger), key: this.#definition.keyOf(sessionId, tenant) };
  }

  async #locate(
    publicId: string,
    { tenant }: ReadOptions,
  ): Promise<{ readonly ledger: Ledger; readonly key: SessionKey; readonly id: string }> {
    const ledger = await this.#definition.open();
    const { sessionId, id } = getPublicId(publicId);
    return { ledger, key: this.#definition.keyOf(sessionId, tenant), id };
  }
}

function internal(annotation: Annotation): Annotation {
  if ("label" in annotation)
    return { ...annotation, snapshotId: getPublicId(annotation.snapshotId).id };
  if ("pin" in annotation) return { pin: getPublicId(annotation.pin).id };
  if ("unpin" in annotation) return { unpin: getPublicId(annotation.unpin).id };
  return annotation;
}
