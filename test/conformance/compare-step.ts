import { compareChunks } from "./compare-chunks.ts";
import { compareError } from "./compare-error.ts";
import { compareRecord } from "./compare-record.ts";
import { type Difference, differenceOf } from "./difference.ts";
import type { Observation } from "./observation.ts";
import type { AbortStep, ReadStep, SendStep, Step, WaitStep } from "./spec-case.ts";

/** Where what came of a step is not as the step expects. */
export function compareStep(step: Step, observation: Observation): readonly Difference[] {
  const thrown = compareThrown(step, observation);
  // What was not expected to reject says nothing else.
  if (observation.error && thrown.length > 0) return thrown;
  return [...thrown, ...compareResult(step, observation)];
}

function compareThrown({ expectError }: Step, { error }: Observation): readonly Difference[] {
  if (expectError) return compareError(expectError, error, "expectError");
  return error === undefined ? [] : [differenceOf("error", undefined, error)];
}

function compareResult(step: Step, observation: Observation): readonly Difference[] {
  switch (step.type) {
    case "send":
      return compareSent(step, observation);
    case "getSnapshotData":
    case "waitUntilCompleted":
      return compareSnapshot(step, observation);
    case "abort":
      return comparePreviousStatus(step, observation);
  }
}

function compareSent(
  { expectChunks, expectOutput }: SendStep,
  { chunks = [], record }: Observation,
): readonly Difference[] {
  return [
    ...(expectChunks ? compareChunks(expectChunks, chunks, "expectChunks") : []),
    ...(expectOutput ? compareRecord(expectOutput, record, "expectOutput") : []),
  ];
}

function compareSnapshot(
  { expectSnapshot }: ReadStep | WaitStep,
  { record }: Observation,
): readonly Difference[] {
  if (expectSnapshot) return compareRecord(expectSnapshot, record, "expectSnapshot");
  if (expectSnapshot === undefined || record === undefined) return [];
  return [differenceOf("expectSnapshot", undefined, record)];
}

function comparePreviousStatus(
  { expectPreviousStatus }: AbortStep,
  { previousStatus }: Observation,
): readonly Difference[] {
  if (expectPreviousStatus === undefined) return [];
  const expected = expectPreviousStatus ?? undefined;
  if (expected === previousStatus) return [];
  return [differenceOf("expectPreviousStatus", expected, previousStatus)];
}
