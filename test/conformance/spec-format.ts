import type { Json } from "turnkeep/protocol";
import { z } from "zod";
import type { SpecCase } from "./spec-case.ts";

// Objects are strict: an expectation that the harness does not know must not pass as one that holds.

const json: z.ZodType<Json> = z.json();
const part = json.exactOptional();
const flag = z.boolean().exactOptional();
const text = z.string().exactOptional();
const textOrAbsent = z.string().nullable().exactOptional();
const duration = z.number().positive().exactOptional();
const description = z.string().optional();

const error = z.strictObject({ status: text, message: text, details: part }).exactOptional();

const output = z.strictObject({
  finishReason: textOrAbsent,
  sessionId: textOrAbsent,
  snapshotId: textOrAbsent,
  message: part,
  hasMessage: flag,
  hasSessionId: flag,
  hasSnapshotId: flag,
  hasState: flag,
  hasArtifacts: flag,
  hasError: flag,
  stateContains: part,
  artifactsContain: part,
  errorContains: error,
});

const snapshot = z.strictObject({
  status: textOrAbsent,
  finishReason: textOrAbsent,
  sessionId: textOrAbsent,
  snapshotId: textOrAbsent,
  parentId: textOrAbsent,
  hasSessionId: flag,
  hasSnapshotId: flag,
  hasParentId: flag,
  hasState: flag,
  hasError: flag,
  stateContains: part,
  artifactsContain: part,
  errorContains: error,
});

const turnEnd = z.strictObject({
  finishReason: textOrAbsent,
  snapshotId: textOrAbsent,
  hasSnapshotId: flag,
});

const chunk = z.strictObject({
  modelChunk: part,
  customPatch: part,
  artifact: part,
  status: part,
  turnEnd: turnEnd.nullable().exactOptional(),
});

const captures = { captureSnapshotId: text, captureState: text, captureSessionId: text };

const send = z.strictObject({
  type: z.literal("send"),
  description,
  init: z.strictObject({ snapshotId: text, sessionId: text, state: part }).exactOptional(),
  inputs: z.array(json).default([]),
  streamChunks: z.array(z.array(json)).default([]),
  modelResponses: z.array(json).default([]),
  expectChunks: z.array(chunk).exactOptional(),
  expectOutput: output.exactOptional(),
  expectError: error,
  ...captures,
});

const reading = {
  description,
  snapshotId: text,
  sessionId: text,
  expectSnapshot: snapshot.nullable().exactOptional(),
  expectError: error,
  ...captures,
};

const getSnapshotData = z.strictObject({ type: z.literal("getSnapshotData"), ...reading });

const waitUntilCompleted = z.strictObject({
  type: z.literal("waitUntilCompleted"),
  timeout: duration,
  timeoutMs: duration,
  ...reading,
});

const abort = z.strictObject({
  type: z.literal("abort"),
  description,
  snapshotId: z.string(),
  expectPreviousStatus: textOrAbsent,
  expectError: error,
});

const step = z.discriminatedUnion("type", [send, getSnapshotData, waitUntilCompleted, abort], {
  error: ({ input }) => `Unknown step type: ${JSON.stringify(typeIn(input))}`,
});

const specCase = z.strictObject({
  name: z.string().min(1),
  description,
  agent: z.string(),
  steps: z.array(step).min(1),
});

export type CheckedCase =
  | { readonly spec: SpecCase }
  | { readonly mistakes: readonly [string, ...string[]] };

/** One case of a spec file, or what is wrong with it. */
export function checkCase(value: unknown): CheckedCase {
  const { data, error } = specCase.safeParse(value);
  if (data) return { spec: data };
  const [first = "Not a case.", ...others] = error.issues.map(
    ({ path, message }) => `${placeText(path)}${message}`,
  );
  return { mistakes: [first, ...others] };
}

function placeText(path: readonly PropertyKey[]): string {
  const place = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return path.length === 0 ? "" : `${place.join("").replace(/^\./, "")}: `;
}

function typeIn(value: unknown): unknown {
  return typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
}
