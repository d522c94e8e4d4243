import type { HeadRecord } from "../head-record.ts";
import { snapshotKey } from "../row-key.ts";
import {
  changedAbout,
  isMetadataTooLong,
  MAX_METADATA_CHARACTERS,
  type SessionAboutChange,
} from "../session-about.ts";
import { livingRecord, type Step } from "../step.ts";

/** What to note: a label names one snapshot of its session, a pin keeps it from being swept, `about` says what the session is called. */
export type Annotation =
  | { readonly label: string; readonly snapshotId: string }
  | { readonly removeLabel: string }
  | { readonly pin: string }
  | { readonly unpin: string }
  | { readonly about: SessionAboutChange };

export type AnnotateAnswer =
  | { readonly kind: "noted" }
  | { readonly kind: "no-such-session" }
  | { readonly kind: "no-such-snapshot" }
  | { readonly kind: "metadata-too-long"; readonly limit: number }
  | { readonly kind: "too-many"; readonly limit: number };

// They live in the head record, which every step reads.
const MOST_LABELS = 32;
const MOST_PINS = 32;

export function annotate(annotation: Annotation): Step<AnnotateAnswer> {
  const target =
    "label" in annotation
      ? annotation.snapshotId
      : "pin" in annotation
        ? annotation.pin
        : undefined;
  return {
    want: () => (target === undefined ? {} : { rows: [snapshotKey(target)] }),
    decide: (view) => {
      const record = livingRecord(view.record);
      if (record === null) return { answer: { kind: "no-such-session" } };
      const isMissing = target !== undefined && !view.rows.has(snapshotKey(target));
      if (isMissing) return { answer: { kind: "no-such-snapshot" } };
      const next = annotated(record, annotation);
      if (next.labels.length > MOST_LABELS)
        return { answer: { kind: "too-many", limit: MOST_LABELS } };
      if (next.pins.length > MOST_PINS) return { answer: { kind: "too-many", limit: MOST_PINS } };
      if (isMetadataTooLong(next.about)) {
        return { answer: { kind: "metadata-too-long", limit: MAX_METADATA_CHARACTERS } };
      }
      return { answer: { kind: "noted" }, change: { record: next } };
    },
  };
}

// A snapshot that loses its pin or label may have to go: the next commit looks for it.
function annotated(record: HeadRecord, annotation: Annotation): HeadRecord {
  if ("about" in annotation)
    return { ...record, about: changedAbout(record.about, annotation.about) };
  if ("pin" in annotation) {
    const others = record.pins.filter((pin) => pin !== annotation.pin);
    return { ...record, pins: [...others, annotation.pin] };
  }
  if ("unpin" in annotation) {
    const pins = record.pins.filter((pin) => pin !== annotation.unpin);
    return { ...record, pins, expiring: undefined };
  }
  const name = "label" in annotation ? annotation.label : annotation.removeLabel;
  const others = record.labels.filter((label) => label.name !== name);
  const added = "label" in annotation ? [{ name, snapshotId: annotation.snapshotId }] : [];
  return { ...record, labels: [...others, ...added], expiring: undefined };
}
