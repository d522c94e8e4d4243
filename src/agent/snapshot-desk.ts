import {
  compareContents,
  type ContentComparison,
  type Ledger,
  type LoadedSnapshot,
  pendingSnapshots,
  type PendingSnapshot,
  type SessionContent,
  type SessionKey,
  SessionTree,
  type Snapshot,
  type UnsavedTurn,
} from "../ledger/index.ts";
import {
  ANSWER_LIMITS,
  type Json,
  type Message,
  parseSessionState,
  type SessionSnapshot,
  type SessionState,
  TurnkeepError,
} from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { AbortResult, Agent, ReadOptions } from "./agent.ts";
import { branchError } from "./branch-error.ts";
import {
  checkOptions,
  checkText,
  FORK_OPTIONS,
  READ_OPTIONS,
  SNAPSHOT_LIST_OPTIONS,
  WAIT_OPTIONS,
} from "./check-options.ts";
import { locate, locateSession, missingSnapshot, readerOf, withPublicId } from "./locate.ts";
import { findOpenMessage } from "./open-message.ts";
import { contentOf } from "./open-run.ts";
import { findPublicId, toPublicId } from "./public-id.ts";
import { RunDesk } from "./run-desk.ts";
import { type SnapshotPageOptions, snapshotPage } from "./snapshot-page.ts";
import { describePending, describeSnapshot, withState } from "./snapshot-view.ts";

/** Everything about an agent's sessions that is not talking to it. Shows what the agent's transforms let the caller see. */
export class SnapshotDesk<Custom, Status = Json> extends RunDesk<Custom, Status> {
  readonly #definition: AgentDefinition<Custom>;

  constructor(definition: AgentDefinition<Custom>) {
    super(definition);
    this.#definition = definition;
  }

  async getSnapshot(
    snapshotId: string,
    options: ReadOptions = {},
  ): Promise<SessionSnapshot<Custom>> {
    const { ledger, key, id } = await locate(this.#definition, snapshotId, options);
    const loaded = await ledger.snapshots.find(key, id);
    if (loaded === undefined) {
      const { snapshot, hasEnded } = await this.#pending(ledger, key, id);
      // It may have ended between the two reads.
      return hasEnded ? await this.getSnapshot(snapshotId, options) : snapshot;
    }
    const described = this.#described(key.sessionId, loaded.snapshot, options);
    const view = this.#definition.viewFor(key.sessionId, "", options);
    return withState(described, await view.stateOf(await this.#current(key, loaded)));
  }

  async getLatestSnapshot(
    sessionId: string,
    options: ReadOptions = {},
  ): Promise<SessionSnapshot<Custom>> {
    const { ledger, key } = await locateSession(this.#definition, sessionId, options);
    const head = await ledger.snapshots.findHead(key);
    // A session whose first turn has not ended has nothing but that turn.
    if (head === undefined) return await this.#firstPending(sessionId, options);
    const view = this.#definition.viewFor(sessionId, "", options);
    const content = await this.#current(key, head);
    return withState(
      this.#described(sessionId, head.snapshot, options),
      await view.stateOf(content),
    );
  }

  async listSnapshots(
    sessionId: string,
    options: ReadOptions & SnapshotPageOptions = {},
  ): Promise<readonly SessionSnapshot<Custom>[]> {
    checkOptions(options, SNAPSHOT_LIST_OPTIONS);
    const reader = readerOf(options);
    const { ledger, key } = await locateSession(this.#definition, sessionId, reader);
    const { now } = await ledger.store.load(key);
    const tree = new SessionTree(ledger);
    const page = snapshotPage(await tree.list(key), options);
    const described = page.map((snapshot) =>
      this.#describe(sessionId, snapshot, { now, ...options }),
    );
    if (!options.withState) return described;
    const ended = page.flatMap((snapshot) => (snapshot.status === "pending" ? [] : [snapshot]));
    const loaded = await tree.load(key, ended);
    const view = this.#definition.viewFor(sessionId, "", options);
    const shown: SessionSnapshot<Custom>[] = [];
    for (const [index, { snapshotId, status }] of page.entries()) {
      const found = loaded.get(snapshotId);
      if (status === "pending") shown.push(described[index]!);
      if (found === undefined) continue;
      shown.push(withState(described[index]!, await view.stateOf(await this.#current(key, found))));
    }
    return shown;
  }

  async fork(
    snapshotId: string,
    options: NonNullable<Parameters<Agent<Custom>["fork"]>[1]> = {},
  ): Promise<SessionSnapshot<Custom>> {
    checkOptions(options, FORK_OPTIONS);
    const { ledger, key, id } = await locate(this.#definition, snapshotId, readerOf(options));
    const sessionId = options.sessionId ?? this.#definition.ports.ids.next();
    this.#definition.keyOf(sessionId, options.tenant);
    const edited =
      options.state && contentOf(parseSessionState(options.state, { limits: ANSWER_LIMITS }));
    const start = await ledger.snapshots.find(key, id);
    if (start === undefined) throw missingSnapshot(this.#definition.name, snapshotId);
    const content = edited ? this.#asCurrent(edited) : await this.#current(key, start);
    await this.#definition.state.read(content, { sessionId });
    // Before the fork is made, so that a transform that fails leaves none behind.
    const view = this.#definition.viewFor(sessionId, "", options);
    const shown = await view.stateOf(content);
    const forked = await new SessionTree(ledger).fork(key, { snapshotId: id, sessionId, content });
    if (forked.kind === "exists") {
      throw new TurnkeepError(
        "ALREADY_EXISTS",
        `Session '${sessionId}' exists already. Choose another id.`,
      );
    }
    return withState(this.#described(sessionId, forked.snapshot, options), shown);
  }

  /**
   * Adds a snapshot with an edited state behind one of the session's own; it becomes the head.
   *
   * @throws TurnkeepError INVALID_ARGUMENT when the state does not fit, FAILED_PRECONDITION when nothing can go on there, ABORTED while a turn runs or waits.
   */
  async branch(
    snapshotId: string,
    { state, ...options }: ReadOptions & { readonly state: SessionState<Custom> },
  ): Promise<SessionSnapshot<Custom>> {
    const { ledger, key, id } = await locate(this.#definition, snapshotId, options);
    const edited = contentOf(parseSessionState(state, { limits: ANSWER_LIMITS }));
    const content = this.#asCurrent(edited);
    const start = await ledger.snapshots.find(key, id);
    if (start === undefined) throw missingSnapshot(this.#definition.name, snapshotId);
    await this.#definition.state.read(content, { sessionId: key.sessionId });
    // Before anything is written, so that a transform that fails leaves nothing behind.
    const shown = await this.#definition.viewFor(key.sessionId, "", options).stateOf(content);
    const answer = await new SessionTree(ledger).branch(key, start, content);
    if (answer.kind !== "branched") throw branchError(answer, this.#definition.name, snapshotId);
    return withState(this.#described(key.sessionId, answer.snapshot, options), shown);
  }

  /** Compares what the caller may see of both. */
  async diff(
    fromSnapshotId: string,
    toSnapshotId: string,
    options: ReadOptions = {},
  ): Promise<ContentComparison> {
    const from = await locate(this.#definition, fromSnapshotId, options);
    const to = await locate(this.#definition, toSnapshotId, options);
    if (from.key.sessionId !== to.key.sessionId) {
      throw new TurnkeepError("INVALID_ARGUMENT", "Only snapshots of one session can be compared.");
    }
    const { options: rules, state } = this.#definition;
    // What was kept in another version is compared as it is read.
    if ((rules.transformState && !options.unredacted) || state.version !== undefined) {
      const before = shownContent(await this.getSnapshot(fromSnapshotId, options));
      return compareContents(before, shownContent(await this.getSnapshot(toSnapshotId, options)));
    }
    return await new SessionTree(from.ledger).compare(from.key, from.id, to.id).catch((error) => {
      throw withPublicId(error, this.#definition.name, from.key);
    });
  }

  /** @internal What the run of this snapshot saved until it, itself included, in order. */
  async savedBefore(snapshotId: string, options: ReadOptions = {}): Promise<readonly string[]> {
    const { ledger, key, id } = await locate(this.#definition, snapshotId, options);
    const tree = new SessionTree(ledger);
    const { snapshot } = await tree.peek(key, id);
    if (snapshot === undefined) return [snapshotId];
    const { runId, turn, rev, rounds = [], event } = snapshot;
    // A run's first turn has nothing before it but what it saved itself.
    const isFirst = turn === 0 && event === undefined;
    const saved =
      isFirst || runId === undefined
        ? [...rounds, id]
        : (await tree.list(key)).flatMap((one) =>
            one.status !== "pending" && one.runId === runId && one.rev <= rev
              ? [one.snapshotId]
              : [],
          );
    return saved.map((own) => toPublicId({ sessionId: key.sessionId, id: own }));
  }

  /** @internal What the first unfinished turn of a run was told. */
  async findOpenMessage(runId: string, options: ReadOptions = {}): Promise<Message | undefined> {
    return await findOpenMessage(this.#definition, runId, options);
  }

  async waitFor(
    snapshotId: string,
    options: ReadOptions & { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<SessionSnapshot<Custom>> {
    checkOptions(options, WAIT_OPTIONS);
    const reader = readerOf(options);
    const { ledger, key, id } = await locate(this.#definition, snapshotId, reader);
    for (;;) {
      await ledger.waits.untilEnded(key, id, options.signal);
      const snapshot = await this.getSnapshot(snapshotId, reader);
      // One whose worker went silent may still be taken over.
      if (snapshot.status !== "pending" && snapshot.status !== "expired") return snapshot;
    }
  }

  async abort(
    id: string,
    options: ReadOptions = {},
  ): Promise<AbortResult & { readonly runId?: string }> {
    checkOptions(options, READ_OPTIONS);
    checkText(id, "The id");
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

  async #firstPending(sessionId: string, options: ReadOptions): Promise<SessionSnapshot<Custom>> {
    const [first] = await this.listSnapshots(sessionId, options);
    if (first) return first;
    throw new TurnkeepError(
      "NOT_FOUND",
      `Session '${sessionId}' not found for agent '${this.#definition.name}'.`,
    );
  }

  // A turn that runs or waits, or one that left no snapshot.
  async #pending(
    ledger: Ledger,
    key: SessionKey,
    id: string,
  ): Promise<{ readonly snapshot: SessionSnapshot<Custom>; readonly hasEnded: boolean }> {
    const { sessionId } = key;
    const { record, now } = await ledger.store.load(key);
    const pending = record === null ? [] : pendingSnapshots(record);
    const turn = pending.find(({ snapshotId }) => snapshotId === id);
    if (turn) return { snapshot: this.#describe(sessionId, turn, { now }), hasEnded: false };
    const { snapshot } = await new SessionTree(ledger).peek(key, id);
    if (snapshot) return { snapshot: this.#described(sessionId, snapshot, {}), hasEnded: true };
    const unsaved = await ledger.findUnsaved(key, id);
    if (unsaved) return { snapshot: this.#described(sessionId, unsaved, {}), hasEnded: false };
    throw missingSnapshot(this.#definition.name, toPublicId({ sessionId, id }));
  }

  #current(key: SessionKey, { snapshot, content }: LoadedSnapshot): Promise<SessionContent> {
    const { sessionId } = key;
    const snapshotId = toPublicId({ sessionId, id: snapshot.snapshotId });
    return this.#definition.state.readOlder(content, { sessionId, snapshotId });
  }

  // An edited state that names no version was written against the types of this build.
  #asCurrent(edited: SessionContent): SessionContent {
    const { version } = this.#definition.state;
    if (version === undefined || edited.stateVersion !== undefined) return edited;
    return Object.freeze({ ...edited, stateVersion: version });
  }

  #describe(
    sessionId: string,
    snapshot: Snapshot | PendingSnapshot,
    { now, ...options }: ReadOptions & { readonly now: number },
  ): SessionSnapshot<Custom> {
    const { leaseMs } = this.#definition.limits;
    return snapshot.status === "pending"
      ? describePending(sessionId, snapshot, { now, leaseMs })
      : this.#described(sessionId, snapshot, options);
  }

  #described(
    sessionId: string,
    snapshot: Snapshot | UnsavedTurn,
    options: ReadOptions,
  ): SessionSnapshot<never> {
    return describeSnapshot(sessionId, snapshot, {
      isRedacted: this.#definition.isRedacted(options),
    });
  }
}

function shownContent<Custom>({ snapshotId, state }: SessionSnapshot<Custom>): SessionContent {
  if (state !== undefined) return contentOf(state as SessionState);
  throw new TurnkeepError(
    "PERMISSION_DENIED",
    `The state of snapshot '${snapshotId}' is not shown to this caller, so it cannot be compared.`,
  );
}
