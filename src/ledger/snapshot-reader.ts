import { TurnkeepError } from "../protocol/index.ts";
import type { StoredState } from "./content-change.ts";
import { hashContent, sameHash } from "./content-hash.ts";
import type { HeadRecord } from "./head-record.ts";
import type { Claim } from "./claim.ts";
import { RecentlyUsed } from "./recently-used.ts";
import { type KeyRange, snapshotKey } from "./row-key.ts";
import type { SessionKey } from "./scope.ts";
import type { SeenSession } from "./seen-session.ts";
import { EMPTY_CONTENT, freezeContent, type SessionContent } from "./session-content.ts";
import type { SessionStore, View } from "./session-store.ts";
import { contentOfProgress, type Snapshot, storedContentOf } from "./snapshot.ts";
import { findSnapshot } from "./snapshot-row.ts";
import { foldDeltas, type SnapshotDelta } from "./snapshot-delta.ts";
import { livingRecord } from "./step.ts";

/** A snapshot with its content. One that has none of its own shows its parent's. */
export interface LoadedSnapshot {
  readonly snapshot: Snapshot;
  readonly content: SessionContent;
}

const MOST_REMEMBERED_CHARACTERS = 32 * 1024 * 1024;
const ENTRY_WEIGHT = 1024;

/**
 * Reads snapshots and checks them against their hashes. Remembers the last content of each session: it never changes, so a
 * conversation that goes on in this process is not read again.
 */
export class SnapshotReader {
  readonly #store: SessionStore;
  readonly #remembered = new RecentlyUsed<LoadedSnapshot>(MOST_REMEMBERED_CHARACTERS);

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /** The head and what it holds, in one query; `undefined` when the session has none. */
  async findHead(key: SessionKey, seen?: SeenSession): Promise<LoadedSnapshot | undefined> {
    const known = this.#remembered.get(cacheKey(key));
    // Whoever remembers the head needs only the small record to see that it still is the head.
    const view = await this.#store.load(key, known ? {} : { chainOf: "head" });
    seen?.note(view.version, view.record);
    const head = livingRecord(view.record)?.head;
    if (head === undefined || head === null) return undefined;
    if (known?.snapshot.snapshotId === head) return known;
    return known
      ? await this.find(key, head)
      : await this.#assemble(key, { view, snapshotId: head });
  }

  /** The snapshot and what it holds; `undefined` when the session has no such snapshot. */
  async find(key: SessionKey, snapshotId: string): Promise<LoadedSnapshot | undefined> {
    const row = snapshotKey(snapshotId);
    const known = this.recall(key, snapshotId);
    // Another process may have erased it, so even what is remembered must still be there.
    const view = await this.#store.load(
      key,
      known ? { rows: [row] } : { rows: [row], chainOf: { row } },
    );
    if (known && view.rows.has(row)) return known;
    return await this.#assemble(key, { view, snapshotId });
  }

  /** Like `find`, for a snapshot that the caller just saw in the store: no query when it is remembered. */
  async findSeen(key: SessionKey, snapshotId: string): Promise<LoadedSnapshot | undefined> {
    return this.recall(key, snapshotId) ?? (await this.find(key, snapshotId));
  }

  /** What a turn is to go on from that has processed some of its inputs; `undefined` for one that has not. */
  async findProgress(key: SessionKey, claim: Claim): Promise<LoadedSnapshot | undefined> {
    const snapshot = snapshotSoFar(claim);
    if (snapshot === undefined) return undefined;
    const { rows } = await this.#store.load(key, { ranges: snapshot.chain ?? [] });
    return { snapshot, content: contentOf(parseDeltas(rows), snapshot, key.sessionId) };
  }

  /** Spares reading back what was just written. */
  remember(key: SessionKey, loaded: LoadedSnapshot): void {
    const size = loaded.snapshot.size;
    const weight = size ? size.messages + size.artifacts + 2 * size.custom + size.promptInput : 0;
    this.#remembered.set(cacheKey(key), loaded, weight + ENTRY_WEIGHT);
  }

  /** Nothing of an erased session stays in memory. */
  forget(key: SessionKey): void {
    this.#remembered.delete(cacheKey(key));
  }

  /** The snapshot, if it is remembered. Another process may have erased it since. */
  recall(key: SessionKey, snapshotId: string): LoadedSnapshot | undefined {
    const known = this.#remembered.get(cacheKey(key));
    return known?.snapshot.snapshotId === snapshotId ? known : undefined;
  }

  async #assemble(
    key: SessionKey,
    { view, snapshotId }: { readonly view: View; readonly snapshotId: string },
  ): Promise<LoadedSnapshot | undefined> {
    const place = { sessionId: key.sessionId, snapshotId };
    const snapshot = readable(place, () => findSnapshot(view, snapshotId));
    if (snapshot === undefined) {
      // Record and rows were read as one: what the session stands on cannot be gone in between.
      if (isStoodOn(view.record, snapshotId)) throw corrupt(place);
      return undefined;
    }
    const content = storedContentOf(snapshot)
      ? contentOf(
          readable(place, () => parseDeltas(view.rows)),
          snapshot,
          key.sessionId,
        )
      : await this.#contentOfParent(key, snapshot);
    const loaded = { snapshot, content };
    this.remember(key, loaded);
    return loaded;
  }

  async #contentOfParent(key: SessionKey, { parentId }: Snapshot): Promise<SessionContent> {
    const parent = parentId === undefined ? undefined : await this.find(key, parentId);
    return parent?.content ?? EMPTY_CONTENT;
  }
}

/** What a turn has processed so far, as if it had ended there: what its next change builds on. */
export function snapshotSoFar(claim: Claim): Snapshot | undefined {
  const { snapshotId, parentId, runId, turn, progress } = claim;
  if (progress === undefined) return undefined;
  const facts = { status: "completed", createdAt: 0, updatedAt: 0, rev: 0 } as const;
  return { snapshotId, parentId, runId, turn, ...facts, ...contentOfProgress(progress) };
}

function isStoodOn(stored: HeadRecord | null, snapshotId: string): boolean {
  const record = livingRecord(stored);
  return record?.head === snapshotId || record?.active?.parentId === snapshotId;
}

/** What a later change can build on; `undefined` for a snapshot without content of its own. */
export function storedStateOf({ snapshot, content }: LoadedSnapshot): StoredState | undefined {
  const stored = storedContentOf(snapshot);
  return stored && { content, stored };
}

/** Deltas by their keys. Contents folded from the same ones share structure. */
export type Deltas = ReadonlyMap<string, SnapshotDelta>;

export function parseDeltas(rows: ReadonlyMap<string, string>): Deltas {
  const keys = [...rows.keys()].filter((key) => key.startsWith("delta/")).toSorted();
  return new Map(keys.map((key) => [key, JSON.parse(rows.get(key)!) as SnapshotDelta]));
}

/** @throws TurnkeepError DATA_LOSS when deltas are missing or do not add up to the snapshot's hash. */
export function contentOf(deltas: Deltas, snapshot: Snapshot, sessionId: string): SessionContent {
  const { snapshotId, chain = [], hash = {}, stateVersion } = snapshot;
  const place = { sessionId, snapshotId };
  const content = readable(place, () => {
    const rows = chain.flatMap((range) => within(deltas, range));
    const folded = foldDeltas(rows, EMPTY_CONTENT);
    const whole = stateVersion === undefined ? folded : { ...folded, stateVersion };
    return freezeContent(whole, EMPTY_CONTENT);
  });
  if (!sameHash(hashContent(content), hash)) throw corrupt(place);
  return content;
}

// Key order is the order of deltas on a branch.
function within(deltas: Deltas, [from, to]: KeyRange): readonly SnapshotDelta[] {
  return [...deltas].filter(([key]) => key >= from && key <= to).map(([, delta]) => delta);
}

interface SnapshotPlace {
  readonly sessionId: string;
  readonly snapshotId: string;
}

function readable<Value>(place: SnapshotPlace, parse: () => Value): Value {
  try {
    return parse();
  } catch (cause) {
    throw corrupt(place, cause);
  }
}

function corrupt({ sessionId, snapshotId }: SnapshotPlace, cause?: unknown): TurnkeepError {
  return new TurnkeepError(
    "DATA_LOSS",
    `Snapshot ${snapshotId} of session "${sessionId}" is damaged in the store. Resume from another one, for instance its parent.`,
    {
      reason: "SNAPSHOT_CORRUPT",
      details: { sessionId, snapshotId },
      ...(cause !== undefined && { cause }),
    },
  );
}

function cacheKey({ scope, agent, sessionId }: SessionKey): string {
  const { tenant } = scope;
  return `${tenant.length}:${tenant}${agent.length}:${agent}${sessionId}`;
}
