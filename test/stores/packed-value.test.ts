import fc from "fast-check";
import { expect, test } from "vitest";
import { packRow, unpackRows, unpackValue } from "../../src/stores/packed-value.ts";

const PROSE = JSON.stringify({ text: "What was said before is kept as it was said. ".repeat(60) });

function packed(value: string, key = "delta/000000/000001"): string {
  return packRow({ key, value }).value;
}

test("a value comes back as it was, whatever it is", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 3000 }),
      fc.boolean(),
      (text, isMarked) => {
        const value = isMarked ? `~${text}` : text;
        expect(unpackValue(packed(value))).toBe(value);
      },
    ),
  );
  expect(unpackValue(packed(PROSE))).toBe(PROSE);
});

test("long lasting values get smaller, and the same ones alike", () => {
  expect(packed(PROSE).length).toBeLessThan(PROSE.length / 2);
  expect(packed(PROSE)).toBe(packed(PROSE));
});

test("what is short, short-lived or followed by the server stays readable", () => {
  const followed = JSON.stringify({ chain: [["a", "b"]], text: PROSE });
  for (const [value, key] of [
    ['"short"', "delta/000000/000001"],
    [PROSE, "event/1/000001"],
    [followed, "snapshot/1"],
  ] as const) {
    expect(packed(value, key)).toBe(value);
  }
  // Somebody only talks of it.
  expect(packed(JSON.stringify(followed))).not.toBe(JSON.stringify(followed));
});

test("rows are counted by what they are, not by what they take up", () => {
  const rows = ["a", "b", "c"].map((key) => packRow({ key, value: PROSE }));
  const counted = (maxBytes: number): number => unpackRows(rows, { maxBytes }).length;
  expect([1, PROSE.length, 2 * PROSE.length, 3 * PROSE.length].map(counted)).toEqual([1, 1, 2, 3]);
});
