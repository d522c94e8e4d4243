import type { SnapshotOrigin } from "../head-record.ts";
import { answerKey, answerPrefix, underPrefix } from "../row-key.ts";
import { jsonRow, livingRecord, type Step } from "../step.ts";

/** A turn that answers what a snapshot waits for. */
export interface AnswerRequest {
  /** The snapshot that asks. */
  readonly snapshotId: string;
  /** The session and the reserved snapshot of the turn that answers. */
  readonly by: SnapshotOrigin;
  /** Turns whose answers do not count: this one goes on from them, or nothing came of them. */
  readonly except: readonly SnapshotOrigin[];
  /** Whether a second answer is allowed. */
  readonly again: boolean;
}

export type NoteAnswerResult =
  | { readonly kind: "noted" }
  /** Another turn has answered. */
  | { readonly kind: "answered"; readonly by: SnapshotOrigin }
  /** The session was deleted. */
  | { readonly kind: "gone" };

/** Notes which turn answers a question. A question has one answer, wherever it is given. */
export function noteAnswer({
  snapshotId,
  by,
  except,
  again,
}: AnswerRequest): Step<NoteAnswerResult> {
  const prefix = answerPrefix(snapshotId);
  return {
    want: () => ({ ranges: [underPrefix(prefix)] }),
    decide: (view) => {
      const record = livingRecord(view.record);
      if (record === null) return { answer: { kind: "gone" } };
      const notes = [...view.rows]
        .filter(([key]) => key.startsWith(prefix))
        .map(([, value]) => JSON.parse(value) as SnapshotOrigin);
      if (notes.some((note) => isSameOrigin(note, by))) return { answer: { kind: "noted" } };
      const other = notes.find((note) => !except.some((origin) => isSameOrigin(note, origin)));
      if (other && !again) return { answer: { kind: "answered", by: other } };
      const row = jsonRow(answerKey(snapshotId, notes.length), by);
      return {
        answer: { kind: "noted" },
        change: { record, put: [row] },
        witnesses: [row.key],
      };
    },
  };
}

function isSameOrigin(left: SnapshotOrigin, right: SnapshotOrigin): boolean {
  return left.snapshotId === right.snapshotId && left.sessionId === right.sessionId;
}
