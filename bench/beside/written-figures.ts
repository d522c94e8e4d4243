import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reports } from "./budgets.ts";
import { CURVES, linesOf } from "./curves.ts";
import { withFigures } from "./figures.ts";
import { lineChart } from "./line-chart.ts";
import type { Report } from "./report.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "docs/performance");

/** Documents whose figures come from the reports. */
export const DOCUMENTS: readonly string[] = ["README.md", "docs/performance.md", "docs/stores.md"];

/** The reports that are kept with the documents. */
export function readReports(): Reports {
  const files = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
  return new Map(
    files
      .filter((file) => file.endsWith(".json"))
      .map((file) => JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Report)
      .map((report) => [report.name, report]),
  );
}

/** Keeps reports, draws their curves, and puts their figures into the documents. */
export function writeFigures(reports: readonly Report[]): void {
  mkdirSync(FOLDER, { recursive: true });
  for (const report of reports) {
    writeFileSync(join(FOLDER, `${report.name}.json`), `${JSON.stringify(report, null, 2)}\n`);
  }
  const all = readReports();
  for (const [name, svg] of drawCurves(all)) writeFileSync(join(FOLDER, `${name}.svg`), svg);
  for (const document of DOCUMENTS) {
    const file = join(ROOT, document);
    writeFileSync(file, withFigures(readFileSync(file, "utf8"), all));
  }
}

/** A drawing for each curve whose report there is, by its name. */
export function drawCurves(reports: Reports): ReadonlyMap<string, string> {
  return new Map(
    CURVES.flatMap((curve) => {
      const report = reports.get(curve.report);
      const lines = report === undefined ? [] : linesOf(curve, report);
      if (report === undefined || lines.length === 0) return [];
      const y = report.metrics.find(({ name }) => name === curve.metric)?.label ?? curve.metric;
      return [[curve.name, lineChart({ title: curve.title, x: report.axis ?? "", y }, lines)]];
    }),
  );
}
