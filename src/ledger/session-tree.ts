import { TurnkeepError } from "../protocol/index.ts";
import { compareContents, type ContentComparison, sharedRanges } from "./compare-snapshots.ts";
import { changeOfContent } from "./content-change.ts";
import { sameHash } from "./content-hash.ts";
import type { Ledger } from "./ledger.ts";
import { listRuns, type RunSummary } from "./list-runs.ts";
import { listSnapshots, pendingSnapshots, type PendingSnapshot } from "./list-snapshots.ts";
import { snapshotKey } from "./row-key.ts";
import { createSessionKey, type SessionKey } from "./scope.ts";
import { freezeContent, type SessionContent } from "./session-content.ts";
import type { Snapshot } from "./snapshot.ts";
import { livingRecord } from "./step.ts";
import { findSnapshot } from "./snapshot-row.ts";
import { contentOf, type LoadedSnapshot, parseDeltas, storedStateOf } from "./snapshot-reader.ts";
import { annotate, type AnnotateAnswer, type Annotation } from "./steps/annotate.ts";
import { type BranchAnswer, branchOff } from "./steps/branch-off.ts";
import { type ForkAnswer, forkSession } from "./steps/fork-session.ts";

export interface ForkOptions {
  /** Where to start; the head when absent. */
  readonly snapshotId?: string;
  /** The new session, of the same tenant and agent. */
  readonly sessionId: string;
  /** Content to start with instead of the snapshot's. */
  readonly content?: SessionContent;
}

/** The snapshots of sessions: finding, listing, comparing, forking and annotating them. */
export class SessionTree {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async findHead(key: SessionKey): Promise<LoadedSnapshot | undefined> {
    return await this.#ledger.snapshots.findHead(key);
  }

  async find(key: SessionKey, snapshotId: string): Promise<LoadedSnapshot | undefined> {
    return await this.#ledger.snapshots.find(key, snapshotId);
  }

  /** Every snapshot in the order of commits, then the pending ones. Reads no content. */
  async list(key: SessionKey): Promise<readonly (Snapshot | PendingSnapshot)[]> {
    const { record } = await this.#ledger.store.load(key);
    if (record === null) return [];
    return [...(await listSnapshots(this.#ledger.store, key)), ...pendingSnapshots(record)];
  }

  /**
   * What leads from one snapshot to the other. Equal ones are recognised by their hashes; of others, what they share is read once.
   *
   * @throws TurnkeepError NOT_FOUND when either does not exist, DATA_LOSS when either is damaged.
   */
  async compare(key: SessionKey, beforeId: string, afterId: string): Promise<ContentComparison> {
    const [before, after] = await this.#snapshots(key, [beforeId, afterId]);
    if (sameHash(before.hash ?? {}, after.hash ?? {})) {
      const messages = { common: before.counts?.messages ?? 0, removed: [], added: [] };
      return {
        same: true,
        messages,
        custom: [],
        artifacts: { removed: [], added: [] },
        promptInput: [],
      };
    }
    const ranges = sharedRanges([before, after]);
    const deltas = parseDeltas((await this.#ledger.store.load(key, { ranges })).rows);
    const of = (snapshot: Snapshot): SessionContent => contentOf(deltas, snapshot, key.sessionId);
    return compareContents(of(before), of(after));
  }

  /** @throws TurnkeepError NOT_FOUND when there is no such snapshot to start from, RESOURCE_EXHAUSTED when the content is too long. */
  async fork(key: SessionKey, options: ForkOptions): Promise<ForkAnswer> {
    const { snapshotId, sessionId } = options;
    const start = await (snapshotId === undefined
      ? this.findHead(key)
      : this.find(key, snapshotId));
    if (start === undefined) throw noSuchSnapshot(snapshotId ?? "head");
    const content = freezeContent(options.content ?? start.content, start.content);
    const change = changeOfContent(undefined, content);
    this.#ledger.checkSize(change);
    const target = createSessionKey(key.scope, key.agent, sessionId);
    const { record } = await this.#ledger.store.load(key);
    const metadata = livingRecord(record)?.about?.metadata;
    return await this.#ledger.take(
      target,
      forkSession({
        ...(metadata && { metadata }),
        snapshotId: this.#ledger.ports.ids.next(),
        change,
        forkedFrom: { sessionId: key.sessionId, snapshotId: start.snapshot.snapshotId },
      }),
    );
  }

  /**
   * Adds a snapshot with other content behind one of the session's own.
   *
   * @throws TurnkeepError RESOURCE_EXHAUSTED when the content is too long.
   */
  async branch(
    key: SessionKey,
    start: LoadedSnapshot,
    content: SessionContent,
  ): Promise<BranchAnswer> {
    const change = changeOfContent(storedStateOf(start), freezeContent(content, start.content));
    this.#ledger.checkSize(change);
    const request = {
      snapshotId: this.#ledger.ports.ids.next(),
      parentId: start.snapshot.snapshotId,
      change,
    };
    return await this.#ledger.take(key, branchOff(request));
  }

  /** The snapshot without its content, if it is there, and the store's time. */
  async peek(
    key: SessionKey,
    snapshotId: string | null,
  ): Promise<{ readonly snapshot?: Snapshot; readonly now: number }> {
    const wanted = snapshotId === null ? [] : [snapshotKey(snapshotId)];
    const { rows, now } = await this.#ledger.store.load(key, { rows: wanted });
    const snapshot = snapshotId === null ? undefined : findSnapshot({ rows }, snapshotId);
    return { now, ...(snapshot && { snapshot }) };
  }

  /**
   * What each of these snapshots holds, in one query. One that was removed since it was listed is left out.
   *
   * @throws TurnkeepError DATA_LOSS when one that is there is damaged.
   */
  async load(
    key: SessionKey,
    listed: readonly Snapshot[],
  ): Promise<ReadonlyMap<string, LoadedSnapshot>> {
    const rows = listed.map(({ snapshotId }) => snapshotKey(snapshotId));
    const view = await this.#ledger.store.load(key, { rows, ranges: sharedRanges(listed) });
    const deltas = parseDeltas(view.rows);
    const loaded = new Map<string, LoadedSnapshot>();
    for (const snapshot of listed) {
      const { snapshotId, chain } = snapshot;
      if (!view.rows.has(snapshotKey(snapshotId))) continue;
      const found =
        chain === undefined
          ? await this.find(key, snapshotId)
          : { snapshot, content: contentOf(deltas, snapshot, key.sessionId) };
      if (found) loaded.set(snapshotId, found);
    }
    return loaded;
  }

  /** The runs of a session, first started first. */
  async listRuns(key: SessionKey): Promise<readonly RunSummary[]> {
    return await listRuns(this.#ledger.store, key);
  }

  async annotate(key: SessionKey, annotation: Annotation): Promise<AnnotateAnswer> {
    return await this.#ledger.take(key, annotate(annotation));
  }

  // A snapshot without content of its own is compared as its parent.
  async #snapshots(
    key: SessionKey,
    ids: readonly [string, string],
  ): Promise<readonly [Snapshot, Snapshot]> {
    const [left, right] = await Promise.all(ids.map((id) => this.#withContent(key, id)));
    return [left!, right!];
  }

  async #withContent(key: SessionKey, snapshotId: string): Promise<Snapshot> {
    const { rows } = await this.#ledger.store.load(key, { rows: [snapshotKey(snapshotId)] });
    const snapshot = findSnapshot({ rows }, snapshotId);
    if (snapshot === undefined) throw noSuchSnapshot(snapshotId);
    if (snapshot.chain !== undefined || snapshot.parentId === undefined) return snapshot;
    return await this.#withContent(key, snapshot.parentId);
  }
}

function noSuchSnapshot(snapshotId: string): TurnkeepError {
  return new TurnkeepError("NOT_FOUND", `Snapshot ${snapshotId} not found`, {
    details: { snapshotId },
  });
}
