import type { Captures } from "./captures.ts";
import { type Difference, differenceOf } from "./difference.ts";
import type { Observation } from "./observation.ts";
import type { Step } from "./spec-case.ts";

/** Notes what a step wants noted. What was not there to be noted is a difference too. */
export function captureStep(
  step: Step,
  { record }: Observation,
  captures: Captures,
): readonly Difference[] {
  if (step.type === "abort") return [];
  const wanted = {
    captureSnapshotId: record?.snapshotId,
    captureState: record?.state,
    captureSessionId: record?.sessionId ?? record?.state?.sessionId,
  };
  return Object.entries(wanted).flatMap(([key, value]) => {
    const name = step[key as keyof typeof wanted];
    if (name === undefined) return [];
    if (value === undefined) return [differenceOf(key, `something to keep as ${name}`, value)];
    captures.set(name, value);
    return [];
  });
}
