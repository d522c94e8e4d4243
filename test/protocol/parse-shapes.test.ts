import {
  parseAgentAbortRequest,
  parseAgentAbortResponse,
  parseAgentInit,
  parseAgentInput,
  parseAgentMetadata,
  parseAgentOutput,
  parseAgentResult,
  parseAgentStreamChunk,
  parseArtifact,
  parseGetSnapshotRequest,
  parseJsonPatch,
  parseMessage,
  parsePart,
  type Parser,
  parseRuntimeError,
  parseSessionSnapshot,
  parseSessionState,
} from "turnkeep/protocol";
import { describe, expect, it } from "vitest";
import { refusalOf } from "./refusal-of.ts";
import { ARTIFACT, MESSAGE, PARTS, SNAPSHOT, STATE } from "./sample-shapes.ts";

// What a client sends.
const CLOSED: readonly Parser<unknown>[] = [parseAgentInput, parseAgentInit, parseSessionState];

type Sample = readonly [name: string, parse: Parser<unknown>, value: object];

const SAMPLES: readonly Sample[] = [
  ["a part", parsePart, PARTS[0]!],
  ["a message", parseMessage, MESSAGE],
  ["an artifact", parseArtifact, ARTIFACT],
  ["an error", parseRuntimeError, { status: "NOT_FOUND", message: "", details: [1] }],
  ["a state", parseSessionState, STATE],
  ["an empty init", parseAgentInit, {}],
  [
    "an init",
    parseAgentInit,
    { snapshotId: "s", sessionId: "t", state: STATE, promptInput: { a: 1 } },
  ],
  ["an empty input", parseAgentInput, {}],
  [
    "an input",
    parseAgentInput,
    {
      message: MESSAGE,
      resume: {
        respond: [{ toolResponse: { name: "t", output: null }, metadata: {} }],
        restart: [{ toolRequest: { name: "t" }, metadata: { resumed: true } }],
      },
      detach: true,
    },
  ],
  [
    "a chunk with everything",
    parseAgentStreamChunk,
    {
      modelChunk: { role: "model", index: 0, content: PARTS, custom: [null], aggregated: false },
      customPatch: [{ op: "replace", path: "", value: null }],
      artifact: ARTIFACT,
      status: { phase: "thinking", done: 0.5 },
      turnEnd: { snapshotId: "s", finishReason: "stop" },
    },
  ],
  ["a chunk whose turn end is empty", parseAgentStreamChunk, { turnEnd: {} }],
  ["a chunk with a status of null", parseAgentStreamChunk, { status: null }],
  ["an empty chunk", parseAgentStreamChunk, {}],
  [
    "an output",
    parseAgentOutput,
    {
      sessionId: "a",
      snapshotId: "b",
      state: STATE,
      message: MESSAGE,
      artifacts: [ARTIFACT],
      finishReason: "detached",
      error: { message: "no" },
    },
  ],
  ["a result", parseAgentResult, { message: MESSAGE, artifacts: [], finishReason: "interrupted" }],
  ["a snapshot", parseSessionSnapshot, SNAPSHOT],
  [
    "a smallest snapshot",
    parseSessionSnapshot,
    { snapshotId: "s", createdAt: "2026-11-15T00:00:00Z" },
  ],
  ["a snapshot request", parseGetSnapshotRequest, { snapshotId: "s", sessionId: "t" }],
  ["an abort request", parseAgentAbortRequest, { snapshotId: "s" }],
  ["an abort response", parseAgentAbortResponse, { snapshotId: "s", status: "aborted" }],
  ["an abort response without status", parseAgentAbortResponse, { snapshotId: "s" }],
  [
    "metadata",
    parseAgentMetadata,
    { stateManagement: "server", abortable: true, stateSchema: { type: "object" } },
  ],
  [
    "a patch",
    parseJsonPatch,
    [
      { op: "add", path: "/a", value: 1 },
      { op: "remove", path: "/a" },
      { op: "replace", path: "", value: {} },
      { op: "move", from: "/a", path: "/b" },
      { op: "copy", from: "", path: "/c~0" },
      { op: "test", path: "/d", value: null },
    ],
  ],
];

describe("the parsers", () => {
  it.each(SAMPLES)("take %s as it is", (_name, parse, value) => {
    expect(parse(value)).toStrictEqual(value);
  });

  it.each(PARTS)("take the part %j", (part) => {
    expect(parsePart(part)).toStrictEqual(part);
  });

  it.each(SAMPLES)("give %s as a fresh value that shares nothing", (_name, parse, value) => {
    const source = structuredClone(value);
    const objects = new Set(objectsIn(source));
    for (const object of objectsIn(parse(source))) expect(objects.has(object)).toBe(false);
  });

  it.each(SAMPLES.filter(([, parse, value]) => !Array.isArray(value) && !CLOSED.includes(parse)))(
    "drop fields that %s does not know",
    (_name, parse, value) => {
      expect(parse({ ...value, fromTheFuture: { a: [1] }, _: null })).toStrictEqual(value);
    },
  );

  it.each(SAMPLES.filter(([, parse]) => CLOSED.includes(parse)))(
    "refuse fields that %s does not know, since what they hold would be lost",
    (_name, parse, value) => {
      const refuse = (): unknown => parse({ ...value, fromTheFuture: { a: [1] } });
      expect(refuse).toThrow(
        /^Unknown (state|init|input) field `fromTheFuture`\. Expected one of /,
      );
      expect(parse({ ...value, fromTheFuture: undefined })).toStrictEqual(value);
    },
  );

  it.each(SAMPLES)("take %s from an object without a prototype", (_name, parse, value) => {
    if (Array.isArray(value)) return;
    const bare = Object.assign(Object.create(null) as object, value);
    expect(parse(bare)).toStrictEqual(value);
  });

  it.each(SAMPLES)("refuse nonsense in place of %s", (_name, parse) => {
    class Instance {
      readonly snapshotId = "s";
    }
    const nonsense = [
      null,
      undefined,
      1,
      "text",
      true,
      Symbol("s"),
      () => 1,
      1n,
      new Map(),
      new Date(0),
      new Instance(),
    ];
    for (const value of nonsense) {
      const error = refusalOf(() => parse(value));
      expect(error.status).toBe("INVALID_ARGUMENT");
      expect(error.message).toMatch(/^[a-z]+ must be (a plain object|an array)\.$/);
    }
  });

  it("keep everything inside free data", () => {
    const custom = { "": [{ role: "any", "a.b": null }], toString: 1 };
    expect(parseSessionState({ custom })).toStrictEqual({ custom });
    expect(parsePart({ data: null })).toStrictEqual({ data: null });
  });

  it("count the empty string as no id where an id may be left out", () => {
    const snapshot = { snapshotId: "s", createdAt: "2026-11-15T00:00:00Z" };
    expect(parseSessionSnapshot({ ...snapshot, parentId: "", sessionId: "" })).toStrictEqual(
      snapshot,
    );
    expect(parseAgentInit({ snapshotId: "", sessionId: "" })).toStrictEqual({});
    expect(parseGetSnapshotRequest({ snapshotId: "" })).toStrictEqual({});
    expect(parseArtifact({ name: "", parts: [] })).toStrictEqual({ parts: [] });
  });

  it("count an undefined field as left out", () => {
    expect(parseAgentInput({ message: undefined, detach: false })).toStrictEqual({ detach: false });
  });

  it("do not take fields that are only inherited", () => {
    const input = Object.create({ role: "user", content: [] }) as object;
    expect(() => parseMessage(input)).toThrow("message must be a plain object");
  });

  it("take objects of another realm", async () => {
    const { runInNewContext } = await import("node:vm");
    const foreign: unknown = runInNewContext(`({ role: "user", content: [{ text: "hi" }] })`);
    expect(parseMessage(foreign)).toStrictEqual({ role: "user", content: [{ text: "hi" }] });
  });
});

function objectsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
