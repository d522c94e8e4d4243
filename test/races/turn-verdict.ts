import type { Message } from "turnkeep/protocol";
import {
  type AbortAnswer,
  type FinishAnswer,
  GrownList,
  type HeadRecord,
  type Ledger,
  type NumberedEvent,
  type SessionContent,
  type SessionKey,
  type Snapshot,
  type Work,
} from "../../src/ledger/index.ts";
import { endKey, snapshotKey } from "../../src/ledger/row-key.ts";
import type { SeededRandom } from "../chaos/seeded-random.ts";
import { readEvents } from "../ledger/read-events.ts";

export interface BegunTurn {
  readonly key: SessionKey;
  readonly work: Work;
  /** What the turn will hold when it finishes. */
  readonly content: SessionContent;
  readonly nextSeq: number;
}

export interface Answers {
  readonly finished: FinishAnswer;
  readonly aborted: AbortAnswer;
}

/** What the store shows of a turn. */
export interface Seen {
  readonly record: HeadRecord | null;
  readonly snapshot: Snapshot | undefined;
  readonly end: { readonly status: string; readonly seq: number } | undefined;
  readonly events: readonly NumberedEvent[];
}

/** A session whose first turn runs and has streamed up to two chunks. */
export async function beginTurn(
  ledger: Ledger,
  key: SessionKey,
  random: SeededRandom,
): Promise<BegunTurn> {
  const input: Message = { role: "user", content: [{ text: `hello from ${key.sessionId}` }] };
  const accepted = await ledger.accept(key, { input, begin: true });
  if (accepted.kind !== "accepted" || accepted.claim === undefined) {
    throw new Error(`A turn on an idle session was not begun: ${JSON.stringify(accepted)}`);
  }
  const { claim } = accepted;
  const chunks = random.below(3);
  for (let index = 0; index < chunks; index += 1) {
    const events = [{ type: "chunk", index }] as const;
    await ledger.appendEvents(key, claim, { seq: claim.nextSeq + index, events });
  }
  const work = await ledger.work(key, claim, { input });
  const answer: Message = { role: "model", content: [{ text: "and hello to you" }] };
  const content: SessionContent = { messages: GrownList.of([input, answer]), artifacts: [] };
  return { key, work, content, nextSeq: claim.nextSeq + chunks };
}

export async function seenOf(ledger: Ledger, { key, work }: BegunTurn): Promise<Seen> {
  const { runId, snapshotId } = work.claim;
  const names = [snapshotKey(snapshotId), endKey(runId)] as const;
  const { record, rows } = await ledger.store.load(key, { rows: names });
  const [snapshot, end] = names.map((name) => rows.get(name));
  return {
    record,
    snapshot: snapshot === undefined ? undefined : (JSON.parse(snapshot) as Snapshot),
    end: end === undefined ? undefined : (JSON.parse(end) as NonNullable<Seen["end"]>),
    events: await readEvents(ledger, { key, runId }),
  };
}

/** Who won, if both answers, the snapshot, the end of the run, its events and the head all say so. */
export function verdictOf(
  turn: BegunTurn,
  { finished, aborted }: Answers,
  seen: Seen,
): "abort" | "finish" | "disagree" {
  const { snapshotId } = turn.work.claim;
  if (aborted.kind === "aborted") {
    // The abort leaves the slot to the worker; the finish that comes second frees it.
    const agree = finished.kind === "stopped" && seen.record?.head === null;
    return agree && showsEnd(turn, seen, "aborted") ? "abort" : "disagree";
  }
  const agree =
    finished.kind === "committed" &&
    aborted.kind === "ended" &&
    aborted.status === "completed" &&
    seen.record?.head === snapshotId;
  return agree && showsEnd(turn, seen, "completed") ? "finish" : "disagree";
}

function showsEnd(
  { nextSeq }: BegunTurn,
  { record, snapshot, end, events }: Seen,
  status: "completed" | "aborted",
): boolean {
  return (
    snapshot?.status === status &&
    snapshot.rev === 1 &&
    end?.status === status &&
    end.seq === nextSeq + 1 &&
    showEnd(events, status, nextSeq + 1) &&
    isIdle(record)
  );
}

function showEnd(events: readonly NumberedEvent[], status: string, last: number): boolean {
  const closing = events.flatMap(({ seq, event }) =>
    event.type === "turnEnd" || event.type === "runEnd"
      ? [`${seq} ${event.type} ${event.status}`]
      : [],
  );
  return (
    events.length === last &&
    events.every(({ seq }, index) => seq === index + 1) &&
    closing.join() === `${last - 1} turnEnd ${status},${last} runEnd ${status}`
  );
}

function isIdle(record: HeadRecord | null): boolean {
  return record?.active === null && record.rev === 1 && record.dueAt === null;
}
