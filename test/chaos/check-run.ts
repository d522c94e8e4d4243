import type { Ledger, NumberedEvent, SessionKey, Snapshot } from "../../src/ledger/index.ts";
import { endKey } from "../../src/ledger/row-key.ts";
import { readEvents } from "../ledger/read-events.ts";

export interface RunCheck {
  readonly violations: readonly string[];
  /** How often another worker took the turn over. */
  readonly takeOvers: number;
}

/** Checks the log of a run of one turn against the snapshot that the turn ended in. */
export async function checkRun(
  ledger: Ledger,
  key: SessionKey,
  snapshot: Snapshot,
): Promise<RunCheck> {
  const { runId = "" } = snapshot;
  const events = await readEvents(ledger, { key, runId });
  const end = await findEnd(ledger, key, runId);
  const isEnded = end?.status === snapshot.status && end.seq === events.length;
  return {
    violations: [
      ...brokenOrder(events),
      ...brokenEnd(events, snapshot),
      ...brokenEpochs(events),
      ...(isEnded ? [] : [`its end row ${JSON.stringify(end)} does not fit`]),
    ].map((violation) => `run ${runId}: ${violation}`),
    takeOvers: events.filter(({ event }) => event.type === "restarted").length,
  };
}

async function findEnd(
  ledger: Ledger,
  key: SessionKey,
  runId: string,
): Promise<{ readonly status: string; readonly seq: number } | undefined> {
  const { rows } = await ledger.store.load(key, { rows: [endKey(runId)] });
  const text = rows.get(endKey(runId));
  return text === undefined ? undefined : (JSON.parse(text) as { status: string; seq: number });
}

function brokenOrder(events: readonly NumberedEvent[]): readonly string[] {
  const misplaced = events.find(({ seq }, index) => seq !== index + 1);
  return misplaced ? [`seq ${misplaced.seq} is out of order`] : [];
}

function brokenEnd(events: readonly NumberedEvent[], snapshot: Snapshot): readonly string[] {
  const ends = events.flatMap(({ seq, event }) => {
    if (event.type === "turnEnd") return [`${seq} turnEnd ${event.status} ${event.snapshotId}`];
    return event.type === "runEnd" ? [`${seq} runEnd ${event.status}`] : [];
  });
  const { status, snapshotId } = snapshot;
  const last = events.length;
  const expected = [`${last - 1} turnEnd ${status} ${snapshotId}`, `${last} runEnd ${status}`];
  return ends.join() === expected.join() ? [] : [`ends with ${ends.join(", ")}`];
}

/** What a worker writes carries its epoch: nothing of an earlier one may come after a take-over. */
function brokenEpochs(events: readonly NumberedEvent[]): readonly string[] {
  const violations: string[] = [];
  let current = 0;
  for (const { seq, event } of events) {
    if (event.type !== "restarted" && event.type !== "chunk") continue;
    const epoch = Number(event["epoch"]);
    const isRising = event.type === "restarted" ? epoch > current : epoch >= current;
    const isForeign = current !== 0 && event.type === "chunk" && epoch !== current;
    if (!isRising || isForeign) violations.push(`seq ${seq} is of epoch ${epoch} after ${current}`);
    current = epoch;
  }
  return violations;
}
