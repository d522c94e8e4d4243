import { type Difference, differenceOf, valueText } from "./difference.ts";
import { findDifferences } from "./match-json.ts";
import type { ObservedError } from "./observation.ts";
import type { ErrorExpectation } from "./spec-case.ts";

/** Where an error is not as expected: its status must be the same, its message contain the text, its details the members. */
export function compareError(
  { status, message, details }: ErrorExpectation,
  error: ObservedError | undefined,
  path: string,
): readonly Difference[] {
  if (error === undefined) return [differenceOf(path, { status, message, details }, "no error")];
  return [
    ...(status === undefined ? [] : findDifferences(status, error.status, `${path}.status`)),
    ...(message === undefined ? [] : compareMessage(message, error.message, `${path}.message`)),
    ...(details === undefined ? [] : findDifferences(details, error.details, `${path}.details`)),
  ];
}

function compareMessage(expected: string, actual: string, path: string): readonly Difference[] {
  if (actual.includes(expected)) return [];
  return [{ path, expected: `a text with ${valueText(expected)}`, actual: valueText(actual) }];
}
