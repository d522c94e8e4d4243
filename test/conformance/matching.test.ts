import type { Json } from "turnkeep/protocol";
import { describe, expect, it } from "vitest";
import { compareChunks } from "./compare-chunks.ts";
import { compareError } from "./compare-error.ts";
import { compareRecord } from "./compare-record.ts";
import { differenceText } from "./difference.ts";
import { findDifferences } from "./match-json.ts";
import type { ObservedRecord } from "./observation.ts";
import type { ErrorExpectation, OutputExpectation, SnapshotExpectation } from "./spec-case.ts";

describe("matching JSON", () => {
  it.each<[string, Json, unknown]>([
    ["the same scalars", "a", "a"],
    ["null and null", { a: null }, { a: null }],
    ["objects with more members", { a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 }],
    ["lists with more items", [1, 3], [0, 1, 2, 3, 4]],
    [
      "items with more members, in order",
      [{ a: 1 }, { a: 1 }],
      [{ a: 1, b: 1 }, { c: 1 }, { a: 1 }],
    ],
    ["no items at all", { list: [] }, { list: [1] }],
  ])("takes %s", (_, expected, actual) => {
    expect(findDifferences(expected, actual, "it")).toEqual([]);
  });

  it.each<[string, Json, unknown, string]>([
    ["another scalar", { a: 1 }, { a: "1" }, 'it.a: expected 1, got "1"'],
    ["part of a text", "abc", "abcd", 'it: expected "abc", got "abcd"'],
    ["a member that is absent", { a: { b: 1 } }, { a: {} }, "it.a.b: expected 1, got nothing"],
    ["null where there is nothing", { a: null }, {}, "it.a: expected null, got nothing"],
    ["a member of the prototype", { toString: {} }, {}, "it.toString: expected {}, got nothing"],
    ["a list for an object", { a: 1 }, [1], 'it: expected {"a":1}, got [1]'],
    ["an object for a list", [1], { 0: 1 }, 'it: expected [1], got {"0":1}'],
    ["items in another order", [2, 1], [1, 2, 3], "it[1]: expected 1, got [3]"],
    ["one item for two", [1, 1], [1, 2, 3], "it[1]: expected 1, got [2,3]"],
    [
      "an item that differs deep inside",
      [{ text: "a" }, { text: "b" }],
      [{ text: "a" }, { text: "c" }],
      'it[1].text: expected "b", got "c"',
    ],
  ])("says what is wrong with %s", (_, expected, actual, text) => {
    expect(findDifferences(expected, actual, "it").map(differenceText)).toEqual([text]);
  });
});

describe("matching an error", () => {
  const error = {
    status: "NOT_FOUND",
    message: "Snapshot s not found",
    details: { id: "s", by: 1 },
  };

  it.each<[string, ErrorExpectation]>([
    ["the status", { status: "NOT_FOUND" }],
    ["part of the message", { message: "s not found" }],
    ["part of the details", { details: { id: "s" } }],
    ["nothing but that there is one", {}],
  ])("takes %s", (_, expected) => {
    expect(compareError(expected, error, "it")).toEqual([]);
  });

  it.each<[string, ErrorExpectation, string]>([
    ["part of the status", { status: "NOT" }, 'it.status: expected "NOT", got "NOT_FOUND"'],
    [
      "another message",
      { message: "not resumable" },
      'it.message: expected a text with "not resumable", got "Snapshot s not found"',
    ],
    ["other details", { details: { id: "t" } }, 'it.details.id: expected "t", got "s"'],
  ])("says what is wrong with %s", (_, expected, text) => {
    expect(compareError(expected, error, "it").map(differenceText)).toEqual([text]);
  });

  it("says that there is none", () => {
    const [difference] = compareError({ status: "ABORTED" }, undefined, "it");
    expect(difference).toEqual({
      path: "it",
      expected: '{"status":"ABORTED"}',
      actual: '"no error"',
    });
  });
});

describe("matching a stream", () => {
  const chunks = [
    { modelChunk: { role: "model", content: [{ text: "a" }] } },
    { turnEnd: { finishReason: "stop", snapshotId: "s" } },
  ] as const;

  it("takes as many chunks in the same order, with more in them", () => {
    const expected = [{ modelChunk: { content: [{ text: "a" }] } }, { turnEnd: {} }];
    expect(compareChunks(expected, chunks, "it")).toEqual([]);
    const end = { turnEnd: { finishReason: "stop", hasSnapshotId: true } };
    expect(compareChunks([{ modelChunk: {} }, end], chunks, "it")).toEqual([]);
    expect(compareChunks([{ modelChunk: {} }, { turnEnd: null }], chunks, "it")).toEqual([]);
    expect(compareChunks([], [], "it")).toEqual([]);
  });

  it.each<[string, Parameters<typeof compareChunks>[0], readonly string[]]>([
    ["fewer chunks", [{ modelChunk: {} }], ["it"]],
    ["no chunks", [], ["it"]],
    ["more chunks", [{ modelChunk: {} }, { turnEnd: {} }, { turnEnd: {} }], ["it"]],
    ["another order", [{ turnEnd: {} }, { modelChunk: {} }], ["it[0].turnEnd", "it[1].modelChunk"]],
    ["another kind", [{ artifact: {} }, { turnEnd: {} }], ["it[0].artifact"]],
    [
      "another end",
      [{ modelChunk: {} }, { turnEnd: { finishReason: "length", hasSnapshotId: false } }],
      ["it[1].turnEnd.finishReason", "it[1].turnEnd.hasSnapshotId"],
    ],
  ])("says what is wrong with %s", (_, expected, places) => {
    expect(compareChunks(expected, chunks, "it").map(({ path }) => path)).toEqual(places);
  });
});

describe("matching an output or a snapshot", () => {
  type Expectation = OutputExpectation & SnapshotExpectation;
  const record: ObservedRecord = {
    sessionId: "s",
    snapshotId: "s.2",
    parentId: "s.1",
    status: "completed",
    finishReason: "stop",
    message: { role: "model", content: [{ text: "a" }] },
    artifacts: [{ name: "x", parts: [] }],
    state: { sessionId: "s", custom: { a: 1 }, messages: [] },
    error: { status: "INTERNAL", message: "no gas" },
  };
  const rightAndWrong: { readonly [Key in keyof Expectation]-?: readonly [Json, Json] } = {
    sessionId: ["s", "t"],
    snapshotId: ["s.2", "s.1"],
    parentId: ["s.1", null],
    status: ["completed", "complete"],
    finishReason: ["stop", null],
    message: [{ role: "model" }, { role: "user" }],
    hasMessage: [true, false],
    hasSessionId: [true, false],
    hasSnapshotId: [true, false],
    hasParentId: [true, false],
    hasState: [true, false],
    hasArtifacts: [true, false],
    hasError: [true, false],
    stateContains: [{ custom: {} }, { custom: { a: 2 } }],
    artifactsContain: [[{ name: "x" }], [{ name: "y" }]],
    errorContains: [{ message: "gas" }, { message: "power" }],
  };

  it.each(Object.entries(rightAndWrong))("compares %s", (key, [right, wrong]) => {
    expect(compareRecord({ [key]: right }, record, "it")).toEqual([]);
    expect(compareRecord({ [key]: wrong }, record, "it")).toHaveLength(1);
    expect(compareRecord({ [key]: right }, undefined, "it")).toHaveLength(1);
  });

  it("knows what is absent from what is there", () => {
    const absent = { parentId: null, finishReason: null, hasError: false, hasSessionId: false };
    expect(compareRecord(absent, {}, "it")).toEqual([]);
    expect(compareRecord({ hasSnapshotId: true }, { snapshotId: "" }, "it")).toHaveLength(1);
  });

  it("wants the id of the session in the state too", () => {
    const expected = { hasSessionId: true };
    for (const state of [{}, { sessionId: "t" }]) {
      expect(compareRecord(expected, { sessionId: "s", state }, "it")).toHaveLength(1);
    }
    expect(compareRecord(expected, { sessionId: "s", state: { sessionId: "s" } }, "it")).toEqual(
      [],
    );
  });

  it("finds the artifacts of a snapshot in its state", () => {
    const state = { artifacts: [{ name: "x", parts: [] }] };
    expect(compareRecord({ artifactsContain: [{ name: "x" }] }, { state }, "it")).toEqual([]);
  });
});
