import { budgetLines, checkBudgets, type Reports } from "./budgets.ts";
import { CURVES, fitLines } from "./curves.ts";
import { highlightLines } from "./highlights.ts";
import type { Report } from "./report.ts";
import { TABLES, tableLines } from "./tables.ts";

const BLOCK = /(<!-- figures: (\S+) -->\n)[\s\S]*?(<!-- end of figures -->)/g;

/** What the reports say, for the block of that name; `undefined` where its report is missing. */
export function figuresOf(name: string, reports: Reports): string | undefined {
  if (name === "budgets") return markdownTable(budgetLines(checkBudgets(reports)));
  if (name === "curves") return markdownTable(fitLines(CURVES, reports));
  if (name === "highlights") return markdownTable(highlightLines(reports));
  if (name === "machine") return describeRun([...reports.values()]);
  const table = TABLES.find((one) => one.name === name);
  const report = table && reports.get(table.report);
  if (table === undefined || report === undefined) return undefined;
  return `${report.title} ${provenance(report)}\n\n${markdownTable(tableLines(table, report))}`;
}

/** The document with what the reports say between its marks. A block whose report is missing stays as it is. */
export function withFigures(markdown: string, reports: Reports): string {
  return markdown.replaceAll(BLOCK, (whole, begin: string, name: string, end: string) => {
    const figures = figuresOf(name, reports);
    return figures === undefined ? whole : `${begin}\n${figures}\n\n${end}`;
  });
}

/** The names of all blocks of a document. */
export function blocksIn(markdown: string): readonly string[] {
  return [...markdown.matchAll(BLOCK)].map(([, , name = ""]) => name);
}

function provenance({ measuredAt, seconds, isQuick }: Report): string {
  const [day = ""] = measuredAt.split("T");
  const warning = isQuick ? " A quick run: it shows that the command works, and no more." : "";
  return `(Run of ${day}, ${seconds} s.)${warning}`;
}

function describeRun(reports: readonly Report[]): string {
  const versions = Object.assign({}, ...reports.map((report) => report.versions)) as Record<
    string,
    string
  >;
  const machines = reports.map(
    ({ machine: { cpu, cores, memoryGiB, system, node } }) =>
      `${cores} cores of ${cpu}, ${memoryGiB} GiB, ${system}, Node ${node}`,
  );
  const loads = reports.map(({ machine }) => machine.loadAtStart);
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `Machine: ${[...new Set(machines)].join("; ")}; load at the start of each run ${Math.min(...loads)} to ${Math.max(...loads)}.`,
    "",
    `Versions: ${named.join(", ")}.`,
  ].join("\n");
}

/** The first line is the heading. */
export function markdownTable(lines: readonly (readonly string[])[]): string {
  const [heading = [], ...rest] = lines;
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = `|${heading.map(() => "---").join("|")}|`;
  return [row(heading), rule, ...rest.map(row)].join("\n");
}
