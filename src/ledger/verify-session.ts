import { TurnkeepError } from "../protocol/index.ts";
import type { Damage } from "./damage.ts";
import type { HeadRecord } from "./head-record.ts";
import { afterKey, SHORT_LIVED, snapshotKey, underPrefix } from "./row-key.ts";
import { eventsOfRow } from "./run-event.ts";
import type { SessionKey } from "./scope.ts";
import type { Row, SessionStore } from "./session-store.ts";
import type { Snapshot } from "./snapshot.ts";
import type { SnapshotDelta } from "./snapshot-delta.ts";
import { snapshotOfRow } from "./snapshot-row.ts";
import { livingRecord } from "./step.ts";
import { verifyContents } from "./verify-contents.ts";

export interface SessionCheck {
  readonly snapshots: number;
  readonly damages: readonly Damage[];
}

const MOST_TRIES = 3;
const PAGE = { limit: 500, maxBytes: 1024 * 1024 };
// Events are checked for gaps besides.
const PLAIN_ROWS = [...SHORT_LIVED.filter((prefix) => prefix !== "event/"), "answer/", "link/"];

/**
 * Reads everything that is kept of a session and holds it against its hashes. Changes nothing.
 *
 * @throws TurnkeepError UNAVAILABLE when the store cannot be asked.
 */
export async function verifySession(store: SessionStore, key: SessionKey): Promise<SessionCheck> {
  for (let tries = 1; ; tries += 1) {
    const before = await recordOf(store, key);
    if ("damage" in before) return { snapshots: 0, damages: [before.damage] };
    if (before.record === null) return { snapshots: 0, damages: [] };
    const check = await new SessionVerifier(store, key, before.record).check();
    if (check.damages.length === 0 || tries === MOST_TRIES) return check;
    // What was swept or erased meanwhile is no damage.
    const after = await recordOf(store, key);
    if ("damage" in after || after.version === before.version) return check;
  }
}

class SessionVerifier {
  readonly #store: SessionStore;
  readonly #key: SessionKey;
  readonly #record: HeadRecord;
  readonly #damages: Damage[] = [];

  constructor(store: SessionStore, key: SessionKey, record: HeadRecord) {
    this.#store = store;
    this.#key = key;
    this.#record = record;
  }

  async check(): Promise<SessionCheck> {
    const snapshots = new Map<string, Snapshot>();
    await this.#read("snapshot/", (row) => {
      const snapshot = checkedSnapshot(row);
      // Those committed since the record was read have their deltas still to come.
      if (snapshot.rev <= this.#record.rev) snapshots.set(snapshot.snapshotId, snapshot);
      return undefined;
    });
    const deltas = new Map<string, SnapshotDelta>();
    const unreadable = new Set<string>();
    await this.#read(
      "delta/",
      ({ key, value }) => void deltas.set(key, JSON.parse(value) as SnapshotDelta),
      (row) => unreadable.add(row),
    );
    this.#damages.push(...verifyContents([...snapshots.values()], { deltas, unreadable }));
    this.#checkRecord(snapshots);
    for (const prefix of PLAIN_ROWS) {
      await this.#read(prefix, ({ value }) => void JSON.parse(value));
    }
    await this.#checkEvents();
    return { snapshots: snapshots.size, damages: this.#damages };
  }

  #checkRecord(snapshots: ReadonlyMap<string, Snapshot>): void {
    const { head, pins, labels, chain } = this.#record;
    const named = [head, ...pins, ...labels.map(({ snapshotId }) => snapshotId)];
    for (const snapshotId of new Set(named.filter((id) => id !== null))) {
      const row = snapshotKey(snapshotId);
      const isKnown = snapshots.has(snapshotId) || this.#damages.some((one) => one.row === row);
      if (!isKnown) {
        this.#damages.push({ row, snapshotId, problem: "is missing, but the session names it" });
      }
    }
    const stored = head === null ? undefined : snapshots.get(head);
    if (head === null || stored === undefined) return;
    const own = snapshotKey(head);
    if (JSON.stringify(chain) !== JSON.stringify([[own, own], ...(stored.chain ?? [])])) {
      const problem = "names other rows for the head than the head's own row does";
      this.#damages.push({ row: "record", snapshotId: head, problem });
    }
  }

  // A run's events are numbered from 1 without gaps.
  async #checkEvents(): Promise<void> {
    let run = "";
    let next = 1;
    await this.#read("event/", (row) => {
      const events = eventsOfRow(row);
      const own = row.key.slice(0, row.key.lastIndexOf("/"));
      if (own !== run) [run, next] = [own, 1];
      const first = events[0]?.seq ?? 0;
      const expected = next;
      next = first + events.length;
      return first === expected ? undefined : `begins with event ${first} instead of ${expected}`;
    });
  }

  /** Hands over each row, which may say what is wrong with it, and notes those that cannot be read. */
  async #read(
    prefix: string,
    take: (row: Row) => string | void,
    failed: (row: string) => void = (row) => this.#note(row, "cannot be read"),
  ): Promise<void> {
    let [from, to] = underPrefix(prefix);
    for (;;) {
      const page = await this.#page([from, to]);
      for (const row of page.rows) this.#take(row, take, failed);
      const last = page.rows.at(-1);
      if (page.isBroken) failed(`the one after ${last?.key ?? from}`);
      if (page.isBroken || last === undefined) return;
      from = afterKey(last.key);
    }
  }

  #take(row: Row, take: (row: Row) => string | void, failed: (row: string) => void): void {
    try {
      const problem = take(row);
      if (typeof problem === "string") this.#note(row.key, problem);
    } catch {
      failed(row.key);
    }
  }

  #note(row: string, problem: string): void {
    this.#damages.push({ row, problem });
  }

  // A row that the store itself cannot unpack spoils its page: those before it are read one by one.
  async #page(
    range: readonly [string, string],
  ): Promise<{ readonly rows: readonly Row[]; readonly isBroken: boolean }> {
    try {
      return { rows: await this.#store.range(this.#key, { range, ...PAGE }), isBroken: false };
    } catch (error) {
      refusePassing(error);
    }
    const rows: Row[] = [];
    let [from] = range;
    try {
      for (;;) {
        const query = { range: [from, range[1]], ...PAGE, limit: 1 } as const;
        const [row] = await this.#store.range(this.#key, query);
        if (row === undefined) return { rows, isBroken: false };
        rows.push(row);
        from = afterKey(row.key);
      }
    } catch (error) {
      refusePassing(error);
      return { rows, isBroken: true };
    }
  }
}

type ReadRecord =
  | { readonly record: HeadRecord | null; readonly version: number }
  | { readonly damage: Damage };

async function recordOf(store: SessionStore, key: SessionKey): Promise<ReadRecord> {
  try {
    const { record, version } = await store.load(key);
    return { record: livingRecord(record), version };
  } catch (error) {
    refusePassing(error);
    return { damage: { row: "record", problem: "cannot be read" } };
  }
}

// A store that is away says nothing about what it keeps.
function refusePassing(error: unknown): void {
  if (!TurnkeepError.is(error) || error.status === "DATA_LOSS") return;
  if (error.status === "UNAVAILABLE" || error.reason !== undefined) throw error;
}

function checkedSnapshot(row: Row): Snapshot {
  const snapshot = snapshotOfRow(row);
  const isSound =
    Number.isSafeInteger(snapshot.rev) &&
    ["completed", "failed", "aborted"].includes(snapshot.status) &&
    Array.isArray(snapshot.chain ?? []);
  if (!isSound) throw new TypeError("no snapshot");
  return snapshot;
}
