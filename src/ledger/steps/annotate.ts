import type { HeadRecord, SessionAbout } from "../head-record.ts";
import { snapshotKey } from "../row-key.ts";
import { livingRecord, type Step } from "../step.ts";

/** What to note: a label names one snapshot of its session, a pin keeps it from being swept, `about` says what the session is called. */
export type Annotation =
  | { readonly label: string; readonly snapshotId: string }
  | { readonly removeLabel: string }
  | { readonly pin: string }
  | { readonly unpin: string }
  | { readonly about: SessionAboutChange };

/** What is left out stays; `null` takes the title away. */
export interface SessionAboutChange {
  readonly title?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
}

export type AnnotateAnswer =
  | { readonly kind: "noted" }
  | { readonly kind: "no-such-snapshot" }
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
      const missing = target !== undefined && !view.rows.has(snapshotKey(target));
      if (record === null || missing) return { answer: { kind: "no-such-snapshot" } };
      const next = annotated(record, annotation);
      if (next.labels.length > MOST_LABELS)
        return { answer: { kind: "too-many", limit: MOST_LABELS } };
      if (next.pins.length > MOST_PINS) return { answer: { kind: "too-many", limit: MOST_PINS } };
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

function changedAbout(
  about: SessionAbout | undefined,
  { title = about?.title, tags = about?.tags }: SessionAboutChange,
): SessionAbout | undefined {
  const isNamed = title !== undefined && title !== null;
  const isTagged = tags !== undefined && tags.length > 0;
  if (!isNamed && !isTagged) return undefined;
  return { ...(isNamed && { title }), ...(isTagged && { tags }) };
}
