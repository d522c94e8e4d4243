import { asciiJson, encodeSse, type Json, type SseFrame } from "turnkeep/protocol";
import { describe, expect, it } from "vitest";
import { refusalOf } from "./refusal-of.ts";

describe("encodeSse", () => {
  it.each<[SseFrame, string]>([
    [{ data: '{"a":1}' }, 'data: {"a":1}\n\n'],
    [{ data: "" }, "data: \n\n"],
    [{ data: "a\nb" }, "data: a\ndata: b\n\n"],
    [{ data: "a\r\nb\rc\n" }, "data: a\ndata: b\ndata: c\ndata: \n\n"],
    [{ data: " lead" }, "data:  lead\n\n"],
    [{ data: "id: evil\n\nevent: evil" }, "data: id: evil\ndata: \ndata: event: evil\n\n"],
    [{ id: "run.7", data: "x" }, "id: run.7\ndata: x\n\n"],
    [{ event: "turn-end_2", data: "x" }, "event: turn-end_2\ndata: x\n\n"],
    [{ retry: 0 }, "retry: 0\n\n"],
    [{ comment: "ping" }, ": ping\n\n"],
    [{ comment: "a\ndata: evil" }, ": a\n: data: evil\n\n"],
    [
      { comment: "c", event: "e", id: "i", retry: 5, data: "d" },
      ": c\nevent: e\nid: i\nretry: 5\ndata: d\n\n",
    ],
  ])("writes %j", (frame, text) => {
    expect(encodeSse(frame)).toBe(text);
  });

  it.each<unknown>([
    "",
    "a b",
    "a\nb",
    "a\rb",
    "a\0b",
    "a:b",
    "é",
    "\u2028",
    "a\n\ndata: evil",
    1,
    null,
    {},
    ["a"],
  ])("refuses %j as id or event", (value) => {
    for (const field of ["id", "event"]) {
      const error = refusalOf(() => encodeSse({ [field]: value, data: "x" }));
      expect(error.status).toBe("INVALID_ARGUMENT");
      expect(error.message).toContain(`the SSE field ${field} must match`);
      expect(error.message).not.toContain("evil");
    }
  });

  it("refuses a dot in an event, which only ids may hold", () => {
    expect(() => encodeSse({ event: "a.b", data: "" })).toThrow("the SSE field event must match");
  });

  it.each<unknown>([-1, 1.5, Number.NaN, "1\ndata: evil", null])("refuses %j as retry", (retry) => {
    expect(() => encodeSse({ retry } as SseFrame)).toThrow("the SSE field retry must be");
  });

  it("refuses a frame of nothing, and data that is no text", () => {
    expect(() => encodeSse({})).toThrow("at least one field");
    expect(() => encodeSse({ data: { a: 1 } } as unknown as SseFrame)).toThrow("must be strings");
  });
});

describe("asciiJson", () => {
  it.each<[Json, string]>([
    [{ a: "é" }, '{"a":"\\u00e9"}'],
    ["😀", '"\\ud83d\\ude00"'],
    ["\u2028\u2029\u0080\uffff", '"\\u2028\\u2029\\u0080\\uffff"'],
    ["a\nb\r\t\0\u007f", '"a\\nb\\r\\t\\u0000\u007f"'],
    ["\ud800", '"\\ud800"'],
    [{ ключ: 1 }, '{"\\u043a\\u043b\\u044e\\u0447":1}'],
    [[null, true, 1.5], "[null,true,1.5]"],
  ])("writes %j on one line of ASCII", (value, text) => {
    expect(asciiJson(value)).toBe(text);
    expect(JSON.parse(text)).toStrictEqual(value);
  });

  it("refuses what has no JSON text", () => {
    expect(() => asciiJson(undefined as unknown as Json)).toThrow("The value must be JSON");
  });
});
