import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/build-once.ts";

/** `test/file.ts` › a part of the name of a test in it. */
const NAMED_TEST = /`(test\/[^`]+)` › ([^;|]+)/g;

const specification = readFileSync(join(ROOT, "SPEC.md"), "utf8");

function missingTests(text: string): readonly string[] {
  return [...text.matchAll(NAMED_TEST)].flatMap(([, file = "", name = ""]) => {
    const path = join(ROOT, file);
    const isThere = existsSync(path) && readFileSync(path, "utf8").includes(name.trim());
    return isThere ? [] : [`${file} › ${name.trim()}`];
  });
}

test("every test that the specification names is there", () => {
  expect(missingTests(specification)).toEqual([]);
});

test("a name that no test has is noticed", () => {
  const row = "| X | `test/house/spec-table.test.ts` › nobody says ".concat("this |");
  expect(missingTests(row)).toHaveLength(1);
});

test("every point of the documents has a row with a test", () => {
  const points = [
    ...Array.from({ length: 22 }, (_, index) => `A${index + 1}`),
    ...Array.from({ length: 24 }, (_, index) => `B${index + 1}`),
    ...Array.from({ length: 10 }, (_, index) => `F${index + 1}`),
  ];
  const rows = specification.split("\n").filter((line) => line.includes("` › "));
  const named = new Set(rows.flatMap((row) => (row.split("|")[1] ?? "").trim().split(", ")));
  expect(points.filter((point) => !named.has(point))).toEqual([]);
});
