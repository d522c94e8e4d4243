import type { Json } from "turnkeep/protocol";
import { compareError } from "./compare-error.ts";
import { type Difference, differenceOf } from "./difference.ts";
import { findDifferences } from "./match-json.ts";
import type { ObservedRecord } from "./observation.ts";
import type { ErrorExpectation, OutputExpectation, SnapshotExpectation } from "./spec-case.ts";

/** What is expected of an output, a snapshot or the end of a turn. */
type RecordExpectation = OutputExpectation & SnapshotExpectation;

type Compare = (expected: Json, record: ObservedRecord, path: string) => readonly Difference[];

// Total, so that an expectation which the format knows and nobody compares does not compile.
const COMPARE: Readonly<Record<keyof RecordExpectation, Compare>> = {
  message: compareField("message"),
  finishReason: compareField("finishReason"),
  status: compareField("status"),
  sessionId: compareField("sessionId"),
  snapshotId: compareField("snapshotId"),
  parentId: compareField("parentId"),
  hasMessage: comparePresence("message"),
  hasSessionId: compareHasSessionId,
  hasSnapshotId: comparePresence("snapshotId"),
  hasParentId: comparePresence("parentId"),
  hasState: comparePresence("state"),
  hasArtifacts: comparePresence("artifacts"),
  hasError: comparePresence("error"),
  stateContains: compareField("state"),
  artifactsContain: (expected, { artifacts, state }, path) =>
    findDifferences(expected, artifacts ?? state?.artifacts, path),
  errorContains: (expected, { error }, path) =>
    compareError(expected as ErrorExpectation, error, path),
};

/** Where an output, a snapshot or the end of a turn is not as expected. */
export function compareRecord(
  expectation: RecordExpectation,
  record: ObservedRecord | undefined,
  path: string,
): readonly Difference[] {
  if (record === undefined) return [differenceOf(path, expectation, record)];
  return Object.entries(expectation).flatMap(([key, expected]) =>
    COMPARE[key as keyof RecordExpectation](expected as Json, record, `${path}.${key}`),
  );
}

function compareField(field: keyof ObservedRecord): Compare {
  return (expected, record, path) => {
    const actual = record[field];
    if (expected !== null) return findDifferences(expected, actual, path);
    return actual === undefined ? [] : [differenceOf(path, undefined, actual)];
  };
}

function comparePresence(field: keyof ObservedRecord): Compare {
  return (expected, record, path) => {
    const actual = record[field];
    const isPresent = actual !== undefined && actual !== "";
    return isPresent === expected ? [] : [differenceOf(path, expected, actual)];
  };
}

// The state names the session too, and clients that carry it rely on both being there and the same.
function compareHasSessionId(
  expected: Json,
  record: ObservedRecord,
  path: string,
): readonly Difference[] {
  const { sessionId, state } = record;
  if (state === undefined || state.sessionId === sessionId) {
    return comparePresence("sessionId")(expected, record, path);
  }
  return [differenceOf(path, "one id", { sessionId, state: { sessionId: state.sessionId } })];
}
