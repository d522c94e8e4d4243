import { type EventId, formatEventId, parseEventId } from "turnkeep/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refusalOf } from "./refusal-of.ts";

describe("an event id", () => {
  it.each<[string, EventId]>([
    ["run.1", { runId: "run", seq: 1 }],
    ["a.b_c-D.42", { runId: "a.b_c-D", seq: 42 }],
    ["1.2.3", { runId: "1.2", seq: 3 }],
    ["..1", { runId: ".", seq: 1 }],
    [`r.${Number.MAX_SAFE_INTEGER}`, { runId: "r", seq: Number.MAX_SAFE_INTEGER }],
  ])("%s names its run and number", (text, id) => {
    expect(parseEventId(text)).toStrictEqual(id);
    expect(formatEventId(id)).toBe(text);
  });

  it.each([
    "",
    ".",
    "run",
    "run.",
    ".1",
    "run.0",
    "run.01",
    "run.-1",
    "run.+1",
    "run.1e3",
    "run.1.5x",
    "run.9007199254740992",
    "run.99999999999999999",
    "run .1",
    "rün.1",
    "run\n.1",
    "run.1\n",
    "run.1\0",
    "a/b.1",
    `${"x".repeat(801)}.1`,
  ])("is not %j", (text) => {
    const error = refusalOf(() => parseEventId(text));
    expect(error.status).toBe("INVALID_ARGUMENT");
    expect(error.message).toContain("An event id must be");
  });

  it.each<unknown>([undefined, null, 1, {}])("is not %s", (value) => {
    expect(() => parseEventId(value as string)).toThrow("An event id must be");
  });

  it.each<[string, number]>([
    ["", 1],
    ["a b", 1],
    ["a\r\n", 1],
    ["a", 0],
    ["a", -1],
    ["a", 1.5],
    ["a", Number.NaN],
    ["a", 2 ** 53],
  ])("is not made of %j and %d", (runId, seq) => {
    expect(refusalOf(() => formatEventId({ runId, seq })).status).toBe("INVALID_ARGUMENT");
  });

  it("reads back as it was written", () => {
    const runId = fc.stringMatching(/^[A-Za-z0-9._~-]{1,40}$/);
    const seq = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const property = fc.property(fc.record({ runId, seq }, { noNullPrototype: true }), (id) => {
      expect(parseEventId(formatEventId(id))).toStrictEqual(id);
    });
    fc.assert(property, { numRuns: 2000 });
  });
});
