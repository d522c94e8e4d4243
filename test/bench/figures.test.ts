import { describe, expect, test } from "vitest";
import { budgetLines, checkBudgets } from "../../bench/beside/budgets.ts";
import { CURVES, fitLines, linesOf } from "../../bench/beside/curves.ts";
import { EndWatch } from "../../bench/beside/end-watch.ts";
import { blocksIn, markdownTable, withFigures } from "../../bench/beside/figures.ts";
import { highlightLines } from "../../bench/beside/highlights.ts";
import { fitPower } from "../../bench/beside/fit-power.ts";
import { lineChart } from "../../bench/beside/line-chart.ts";
import type { Report, ReportRow } from "../../bench/beside/report.ts";
import { summarize } from "../../bench/beside/summary.ts";
import { figure, tableLines } from "../../bench/beside/tables.ts";
import { median } from "../../bench/median.ts";

const machine = {
  cpu: "a processor",
  cores: 2,
  memoryGiB: 4,
  system: "linux",
  node: "v20",
  loadAtStart: 0,
};

function reportOf(rows: readonly ReportRow[], changes: Partial<Report> = {}): Report {
  return {
    name: "turn",
    title: "Turns.",
    axis: "messages before",
    metrics: [
      { name: "cpuMs", label: "CPU, ms", better: "less" },
      { name: "wallMs", label: "time, ms", better: "less" },
    ],
    isQuick: false,
    measuredAt: "2026-11-16T10:00:00.000Z",
    seconds: 9,
    machine,
    versions: { turnkeep: "1.0.0" },
    rows,
    ...changes,
  };
}

function row(subject: string, size: number, cpuMs: number): ReportRow {
  return { subject, size, values: { cpuMs: { median: cpuMs, spread: 0.5 } } };
}

describe("figures", () => {
  test("are medians, with how far apart the extremes were", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(summarize([{ ms: 1 }, { ms: 4, bytes: 7 }, { ms: 2 }])).toEqual({
      ms: { median: 2, spread: 1.5 },
      bytes: { median: 7 },
    });
  });

  test("have three digits that count", () => {
    expect([1234.5, 12.345, 0.00012345, undefined].map(figure)).toEqual([
      "1,235",
      "12.3",
      "0.000123",
      "–",
    ]);
  });

  test("are fitted to a power of the size", () => {
    const sizes = [10, 100, 1000, 3000, 10_000];
    const fitOf = (cost: (size: number) => number): number | undefined =>
      fitPower(sizes.map((size) => ({ size, value: cost(size) })));
    expect(fitOf(() => 7)).toBeCloseTo(0);
    expect(fitOf((size) => 3 * size)).toBeCloseTo(1);
    expect(fitOf((size) => size ** 2 / 5)).toBeCloseTo(2);
    expect(fitPower([{ size: 1, value: 1 }])).toBeUndefined();
  });
});

describe("a table", () => {
  const report = reportOf([
    row("genkit", 0, 6),
    row("turnkeep", 0, 2),
    { subject: "mastra", size: 0, absent: "gave up after 30 s" },
    row("floor", 0, 1),
  ]);

  test("has the best first, the ratio to ours, and why somebody is missing", () => {
    expect(tableLines({ name: "turn", report: "turn", metrics: ["cpuMs"] }, report)).toEqual([
      ["messages before", "", "CPU, ms", "spread", "× ours"],
      ["0", "floor", "1", "50 %", "0.5"],
      ["0", "**turnkeep**", "2", "50 %", "1"],
      ["0", "genkit", "6", "50 %", "3"],
      ["0", "mastra", "gave up after 30 s", "", ""],
    ]);
  });

  test("turns the ratio round where more is better", () => {
    const metrics = [{ name: "cpuMs", label: "chunks a second", better: "more" }] as const;
    const lines = tableLines({ name: "turn", report: "turn" }, { ...report, metrics });
    expect(lines.map((line) => [line[1], line.at(-1)])).toEqual([
      ["", "× ours"],
      ["genkit", "0.333"],
      ["**turnkeep**", "1"],
      ["floor", "2"],
      ["mastra", ""],
    ]);
  });

  test("takes the place between its marks, and no other", () => {
    const mark = "<!-- figures: turn -->\nold\n<!-- end of figures -->";
    const text = `before\n${mark}\nbetween\n<!-- figures: size -->\nkept\n<!-- end of figures -->\n`;
    const written = withFigures(text, new Map([["turn", report]]));
    expect(blocksIn(text)).toEqual(["turn", "size"]);
    expect(written).toContain("| 0 | genkit | 6 |");
    expect(written).not.toContain("old");
    expect(written).toMatch(/^before\n[\s\S]*\nbetween\n[\s\S]*\nkept\n/);
    expect(withFigures(written, new Map([["turn", report]]))).toBe(written);
  });

  test("is Markdown", () => {
    expect(
      markdownTable([
        ["a", "b"],
        ["1", "2"],
      ]),
    ).toBe("| a | b |\n|---|---|\n| 1 | 2 |");
  });
});

describe("a curve", () => {
  const report = reportOf([
    row("turnkeep", 0, 1),
    row("turnkeep", 10, 2),
    row("turnkeep", 1000, 2),
    row("genkit", 10, 1),
    row("genkit", 1000, 100),
    row("mastra", 10, 9),
  ]);
  const curves = CURVES.filter(({ name }) => name === "history");

  test("is fitted for everybody with two sizes", () => {
    const lines = fitLines(curves, new Map([["turn", report]]));
    expect(lines.slice(1).map((line) => [line[1], line.at(-1)])).toEqual([
      ["**turnkeep**", "0.00"],
      ["genkit", "1.00"],
    ]);
  });

  test("is drawn within its frame, with a legend", () => {
    const lines = curves.flatMap((curve) => linesOf(curve, report));
    const svg = lineChart({ title: "a < b", x: "size", y: "ms" }, lines);
    expect(svg).toContain("a &lt; b");
    const points = [...svg.matchAll(/points="([^"]+)"/g)].map(([, text = ""]) => text);
    expect(points).toHaveLength(2);
    // Flat lines are level, and the larger value is further up.
    const [ours = [], theirs = []] = points.map((text) =>
      text.split(" ").map((pair) => Number(pair.split(",")[1])),
    );
    expect(ours[0]).toBe(ours[1]);
    expect(theirs[1]).toBeLessThan(theirs[0] ?? 0);
    expect(svg).toContain(">turnkeep</text>");
  });
});

describe("budgets", () => {
  test("are met, not met, or not measured", () => {
    const turn = reportOf([
      row("turnkeep", 0, 1),
      row("turnkeep", 1000, 2),
      row("genkit", 0, 5),
      row("genkit", 1000, 300),
    ]);
    const lines = budgetLines(checkBudgets(new Map([["turn", turn]])));
    expect(lines.slice(1, 5).map((line) => line.slice(1))).toEqual([
      ["at most 1.5", "2", "**not met**"],
      ["at least 5", "5", "met"],
      ["at least 100", "150", "met"],
      ["at most 1", "–", "not measured"],
    ]);
  });
});

test("the end of a stream is seen when it comes in two pieces", () => {
  const watch = new EndWatch("event: result");
  watch.look(Buffer.from("data: something\n\neven"));
  expect(watch.isSeen).toBe(false);
  watch.look(Buffer.from("t: result\ndata: {}\n\n"));
  expect(watch.isSeen).toBe(true);
});

test("highlights show each contender on the store that suits it best, or why it has no figure", () => {
  const storage = reportOf(
    [
      { subject: "turnkeep sqlite", size: 1000, values: { bytesRatio: { median: 1.4 } } },
      { subject: "turnkeep file", size: 1000, values: { bytesRatio: { median: 1.25 } } },
      { subject: "turnkeep file", size: 10, values: { bytesRatio: { median: 1 } } },
      { subject: "genkit file", size: 1000, absent: "gave up after 75 s" },
    ] as ReportRow[],
    { name: "storage", metrics: [{ name: "bytesRatio", label: "bytes", better: "less" }] },
  );
  const [heading, turn, bytes] = highlightLines(new Map([["storage", storage]]));
  expect(heading?.slice(0, 3)).toEqual(["", "turnkeep", "genkit"]);
  expect(turn?.slice(1, 3)).toEqual(["–", "–"]);
  expect(bytes?.slice(1, 4)).toEqual(["1.25", "gave up after 75 s", "–"]);
});
