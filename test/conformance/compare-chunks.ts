import type { AgentStreamChunk } from "turnkeep";
import { compareRecord } from "./compare-record.ts";
import { type Difference, differenceOf } from "./difference.ts";
import { findDifferences } from "./match-json.ts";
import type { ChunkExpectation } from "./spec-case.ts";

/** Where a stream is not as expected: as many chunks, in the same order, each with what is expected of it. */
export function compareChunks(
  expected: readonly ChunkExpectation[],
  actual: readonly AgentStreamChunk[],
  path: string,
): readonly Difference[] {
  if (expected.length !== actual.length) return [differenceOf(path, expected, actual)];
  return expected.flatMap((expectation, index) =>
    compareChunk(expectation, actual[index] ?? {}, `${path}[${index}]`),
  );
}

function compareChunk(
  { turnEnd, ...fields }: ChunkExpectation,
  chunk: AgentStreamChunk,
  path: string,
): readonly Difference[] {
  // That a turn ended is said by the field being there, whatever is in it.
  const end =
    turnEnd === undefined ? [] : compareRecord(turnEnd ?? {}, chunk.turnEnd, `${path}.turnEnd`);
  return [...end, ...findDifferences(fields, chunk, path)];
}
