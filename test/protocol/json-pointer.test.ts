import { escapeToken, findArrayIndex, formatPointer, parsePointer } from "turnkeep/protocol";
import { describe, expect, it } from "vitest";
import { refusalOf } from "./refusal-of.ts";

describe("a JSON Pointer", () => {
  it.each<[string, readonly string[]]>([
    ["", []],
    ["/", [""]],
    ["//", ["", ""]],
    ["/a/0", ["a", "0"]],
    ["/a~1b/~0", ["a/b", "~"]],
    ["/~01", ["~1"]],
    ["/~10", ["/0"]],
    ["/é/ ", ["é", " "]],
  ])("%j has its tokens, and they make it again", (pointer, tokens) => {
    expect(parsePointer(pointer)).toStrictEqual(tokens);
    expect(formatPointer(tokens)).toBe(pointer);
  });

  it.each(["a", "#/a", " /a", "/~", "/~2", "/a~", "/~~0"])("%j is none", (text) => {
    expect(refusalOf(() => parsePointer(text))).toMatchObject({
      status: "INVALID_ARGUMENT",
      reason: "PATCH_REFUSED",
    });
  });

  it("escapes a token in the order that can be undone", () => {
    expect(escapeToken("~1/")).toBe("~01~1");
  });

  it.each([
    ["0", 0],
    ["7", 7],
    ["10", 10],
  ] as const)("finds the index %s", (token, index) => {
    expect(findArrayIndex(token)).toBe(index);
  });

  it.each(["", "-", "-1", "+1", "01", "1.0", "1e1", "0x1", " 1", "1\n", "١"])(
    "finds no index in %j",
    (token) => {
      expect(findArrayIndex(token)).toBeUndefined();
    },
  );
});
