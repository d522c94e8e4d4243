import type { Message } from "turnkeep/protocol";
import {
  type HeadRecord,
  isContinuable,
  type Ledger,
  type SessionKey,
  type Snapshot,
} from "../../src/ledger/index.ts";
import { listSnapshots } from "../../src/ledger/list-snapshots.ts";
import type { AbortedTurn, AcknowledgedTurn } from "./chaos-client.ts";
import { checkRun } from "./check-run.ts";

/** What the outside was told about a session. */
export interface SessionHistory {
  readonly key: SessionKey;
  readonly turns: readonly AcknowledgedTurn[];
  readonly aborts: readonly AbortedTurn[];
  /** Turns whose worker was told `committed`, or `stopped`. */
  readonly committed: ReadonlySet<string>;
  readonly stopped: ReadonlySet<string>;
}

export interface SessionCheck {
  readonly violations: readonly string[];
  readonly takeOvers: number;
  readonly snapshots: readonly Snapshot[];
}

/** Checks everything a quiet session promises, from what is stored and what was answered. */
export async function checkSession(ledger: Ledger, history: SessionHistory): Promise<SessionCheck> {
  const { key, turns } = history;
  const { record } = await ledger.store.load(key);
  if (record === null) {
    const lost = turns.map(({ snapshotId }) => `${snapshotId} is lost with its whole session`);
    return { violations: lost, takeOvers: 0, snapshots: [] };
  }
  const snapshots = await listSnapshots(ledger.store, key);
  const violations = [
    ...restlessness(record),
    ...lostTurns(snapshots, turns),
    ...brokenTree(record, snapshots, turns),
    ...brokenAnswers(snapshots, history),
    ...(await brokenContents(ledger, key, { snapshots, turns })),
  ];
  let takeOvers = 0;
  for (const snapshot of snapshots) {
    const run = await checkRun(ledger, key, snapshot);
    violations.push(...run.violations);
    takeOvers += run.takeOvers;
  }
  return {
    violations: violations.map((violation) => `${key.sessionId}: ${violation}`),
    takeOvers,
    snapshots,
  };
}

function restlessness({ active, queue, dueAt }: HeadRecord): readonly string[] {
  if (active === null && queue.length === 0 && dueAt === null) return [];
  return [`is not at rest: ${JSON.stringify({ active, queue, dueAt })}`];
}

/** Every acknowledged turn has its snapshot, and nobody else has one. Rows are inserted once, so it has no second. */
function lostTurns(
  snapshots: readonly Snapshot[],
  turns: readonly AcknowledgedTurn[],
): readonly string[] {
  const stored = new Set(snapshots.map(({ snapshotId }) => snapshotId));
  const known = new Set(turns.map(({ snapshotId }) => snapshotId));
  return [
    ...[...known].filter((id) => !stored.has(id)).map((id) => `acknowledged turn ${id} is lost`),
    ...[...stored].filter((id) => !known.has(id)).map((id) => `nobody asked for turn ${id}`),
  ];
}

/** Every turn starts where the last one ended, or where its client told it to. */
function brokenTree(
  record: HeadRecord,
  snapshots: readonly Snapshot[],
  turns: readonly AcknowledgedTurn[],
): readonly string[] {
  const violations: string[] = [];
  const named = new Map(turns.map(({ snapshotId, parentId }) => [snapshotId, parentId]));
  let head: string | null = null;
  for (const [index, snapshot] of snapshots.entries()) {
    const { snapshotId, rev, parentId } = snapshot;
    if (rev !== index + 1) violations.push(`${snapshotId} has rev ${rev} instead of ${index + 1}`);
    const expected: string | null = named.get(snapshotId) ?? head;
    if ((parentId ?? null) !== expected) {
      violations.push(`${snapshotId} starts at ${parentId} instead of ${expected}`);
    }
    if (isContinuable(snapshot)) head = snapshotId;
  }
  if (record.rev !== snapshots.length) violations.push(`counts ${record.rev} snapshots`);
  if (record.head !== head) violations.push(`its head is ${record.head} instead of ${head}`);
  return violations;
}

function brokenAnswers(
  snapshots: readonly Snapshot[],
  { aborts, committed, stopped }: SessionHistory,
): readonly string[] {
  const statusOf = new Map(snapshots.map(({ snapshotId, status }) => [snapshotId, status]));
  const broken = aborts.filter(({ snapshotId, answer }) => {
    const told = answer.kind === "ended" ? answer.status : answer.kind;
    return told !== statusOf.get(snapshotId);
  });
  return [
    ...broken.map(({ snapshotId, answer }) => {
      const status = statusOf.get(snapshotId);
      return `${snapshotId} is ${status}, but its abort was answered ${JSON.stringify(answer)}`;
    }),
    ...snapshots
      .filter(({ snapshotId, status }) => status === "aborted" && committed.has(snapshotId))
      .map(({ snapshotId }) => `${snapshotId} is aborted, but its worker was told "committed"`),
    ...snapshots
      .filter(({ snapshotId, status }) => status !== "aborted" && stopped.has(snapshotId))
      .map(({ snapshotId }) => `${snapshotId} is not aborted, but its worker was told "stopped"`),
  ];
}

/** Every snapshot loads, fits its hash, and holds what was said on the way to it, each message once. */
async function brokenContents(
  ledger: Ledger,
  key: SessionKey,
  { snapshots, turns }: Pick<SessionCheck, "snapshots"> & Pick<SessionHistory, "turns">,
): Promise<readonly string[]> {
  const inputs = new Map(turns.map(({ snapshotId, input }) => [snapshotId, input]));
  const expected = new Map<string, readonly Message[]>();
  const violations: string[] = [];
  for (const snapshot of snapshots) {
    const { snapshotId, parentId } = snapshot;
    const before = expected.get(parentId ?? "") ?? [];
    const own = isContinuable(snapshot) ? [inputs.get(snapshotId)!, replyOf(snapshotId)] : [];
    expected.set(snapshotId, [...before, ...own]);
    try {
      const loaded = await ledger.snapshots.find(key, snapshotId);
      const texts = loaded?.content.messages.all().map(textOf).join();
      if (texts !== expected.get(snapshotId)?.map(textOf).join()) {
        violations.push(`${snapshotId} does not hold what was said`);
      }
    } catch (error) {
      violations.push(`${snapshotId} does not load: ${String(error)}`);
    }
  }
  return violations;
}

function replyOf(snapshotId: string): Message {
  return { role: "model", content: [{ text: `reply ${snapshotId}` }] };
}

function textOf(message: Message | undefined): string {
  return `${message?.role}: ${message?.content[0]?.text}`;
}
