import { fitPower, type Point } from "./fit-power.ts";
import type { Report } from "./report.ts";
import { figure } from "./tables.ts";

/** One metric of a report, over its sizes. */
export interface Curve {
  readonly name: string;
  readonly report: string;
  readonly metric: string;
  readonly title: string;
}

/** Everything that is drawn, and fitted. */
export const CURVES: readonly Curve[] = [
  {
    name: "history",
    report: "turn",
    metric: "cpuMs",
    title: "A turn, as the talk before it grows",
  },
  {
    name: "turns-bytes",
    report: "storage",
    metric: "bytesRatio",
    title: "What a talk takes up, as it grows",
  },
  {
    name: "turns-time",
    report: "storage",
    metric: "turnMs",
    title: "A kept turn, as the talk grows",
  },
  {
    name: "turns-resume",
    report: "storage",
    metric: "warmMs",
    title: "Coming back to a talk, as it grows",
  },
  {
    name: "state",
    report: "state",
    metric: "wallMs",
    title: "One change, as the state grows",
  },
  {
    name: "crowd",
    report: "crowd",
    metric: "cpuMs",
    title: "A turn, as other sessions come into the store",
  },
  {
    name: "readers",
    report: "readers",
    metric: "cpuPerReaderMs",
    title: "One reader of a run, as others join",
  },
];

export interface Line {
  readonly subject: string;
  readonly points: readonly Point[];
}

/** Everybody who was measured at two sizes or more. */
export function linesOf({ metric }: Curve, { rows }: Report): readonly Line[] {
  const subjects = [...new Set(rows.map(({ subject }) => subject))];
  return subjects
    .map((subject) => ({
      subject,
      points: rows.flatMap((row) => {
        const value = row.subject === subject ? row.values?.[metric]?.median : undefined;
        // Nothing has no place on a logarithmic axis.
        const isDrawn = value !== undefined && value > 0 && row.size > 0;
        return isDrawn ? [{ size: row.size, value }] : [];
      }),
    }))
    .filter(({ points }) => points.length > 1);
}

/** How each grows. The first line is the heading. */
export function fitLines(
  curves: readonly Curve[],
  reports: ReadonlyMap<string, Report>,
): string[][] {
  const heading = [
    "curve",
    "",
    "sizes",
    "at the smallest",
    "at the largest",
    "grows with the power",
  ];
  const lines = curves.flatMap((curve) => {
    const report = reports.get(curve.report);
    return report === undefined ? [] : linesOf(curve, report).map((line) => fitLine(curve, line));
  });
  return [heading, ...lines];
}

function fitLine({ title }: Curve, { subject, points }: Line): string[] {
  const name = subject.startsWith("turnkeep") ? `**${subject}**` : subject;
  const sizes = points.map(({ size }) => figure(size)).join(", ");
  const power = fitPower(points)?.toFixed(2) ?? "–";
  return [title, name, sizes, figure(points[0]?.value), figure(points.at(-1)?.value), power];
}
