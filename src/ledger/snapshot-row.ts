import { freezeJson } from "./freeze-json.ts";
import { snapshotKey } from "./row-key.ts";
import type { Row, View } from "./session-store.ts";
import type { Snapshot } from "./snapshot.ts";

/** A snapshot as it is stored. There is one for every turn, so it repeats neither its own id nor names of numbers. */
type StoredSnapshot = Omit<Snapshot, "snapshotId" | "counts" | "size"> & {
  readonly counts?: readonly [messages: number, artifacts: number] | undefined;
  readonly size?:
    | readonly [
        messages: number,
        artifacts: number,
        custom: number,
        customPatches: number,
        promptInput: number,
        chain: number,
      ]
    | undefined;
};

export function snapshotRow(snapshot: Snapshot): Row {
  const { counts, size } = snapshot;
  // Named one by one, since every turn ends here and copying an object of unknown shape is slow. One that is forgotten does not compile.
  const stored: Record<keyof StoredSnapshot, unknown> & StoredSnapshot = {
    parentId: snapshot.parentId,
    runId: snapshot.runId,
    turn: snapshot.turn,
    event: snapshot.event,
    rounds: snapshot.rounds,
    status: snapshot.status,
    finishReason: snapshot.finishReason,
    error: snapshot.error,
    usage: snapshot.usage,
    createdAt: snapshot.createdAt,
    updatedAt: snapshot.updatedAt,
    rev: snapshot.rev,
    forkedFrom: snapshot.forkedFrom,
    stateVersion: snapshot.stateVersion,
    input: snapshot.input,
    chain: snapshot.chain,
    hash: snapshot.hash,
    counts: counts && [counts.messages, counts.artifacts],
    size: size && [
      size.messages,
      size.artifacts,
      size.custom,
      size.customPatches,
      size.promptInput,
      size.chain,
    ],
  };
  return { key: snapshotKey(snapshot.snapshotId), value: JSON.stringify(stored) };
}

export function snapshotOfRow({ key, value }: Row): Snapshot {
  const { counts, size, ...rest } = JSON.parse(value) as StoredSnapshot;
  return freezeJson({
    ...rest,
    snapshotId: key.slice(snapshotKey("").length),
    ...(counts && { counts: { messages: counts[0], artifacts: counts[1] } }),
    ...(size && {
      size: {
        messages: size[0],
        artifacts: size[1],
        custom: size[2],
        customPatches: size[3],
        promptInput: size[4],
        chain: size[5],
      },
    }),
  });
}

/** The snapshot, if its row was wanted and is there. */
export function findSnapshot(
  { rows }: Pick<View, "rows">,
  snapshotId: string,
): Snapshot | undefined {
  const key = snapshotKey(snapshotId);
  const value = rows.get(key);
  return value === undefined ? undefined : snapshotOfRow({ key, value });
}
