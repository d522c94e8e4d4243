import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { blocksIn, withFigures } from "../../bench/beside/figures.ts";
import { DOCUMENTS, drawCurves, readReports } from "../../bench/beside/written-figures.ts";
import { ROOT } from "./house-copy.ts";

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const reports = readReports();

describe.each(DOCUMENTS)("%s", (document) => {
  test("has the figures of the reports, between all of its marks", () => {
    const text = read(document);
    expect(blocksIn(text)).not.toEqual([]);
    expect(text.match(/<!-- figures: /g)).toHaveLength(blocksIn(text).length);
    expect(withFigures(text, reports)).toBe(text);
    expect(text).not.toMatch(/<!-- figures: \S+ -->\n<!-- end of figures -->/);
  });
});

test("the drawings are those of the reports", () => {
  const drawings = [...drawCurves(reports)];
  expect(drawings).not.toEqual([]);
  for (const [name, svg] of drawings) expect(read(`docs/performance/${name}.svg`), name).toBe(svg);
});
