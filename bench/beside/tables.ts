import type { Metric } from "./comparison.ts";
import type { Report, ReportRow } from "./report.ts";

/** A part of a report, as a table. */
export interface Table {
  readonly name: string;
  readonly report: string;
  /** All, unless it names some. */
  readonly metrics?: readonly string[];
  readonly sizes?: readonly number[];
}

/** Every table that can be asked for by name. */
export const TABLES: readonly Table[] = [
  { name: "turn", report: "turn", sizes: [0, 100, 1000] },
  { name: "prompt", report: "prompt" },
  {
    name: "storage",
    report: "storage",
    metrics: ["bytesRatio", "turnMs", "cpuMs"],
    sizes: [10, 100, 1000],
  },
  { name: "resume", report: "storage", metrics: ["coldMs", "warmMs"], sizes: [10, 100, 1000] },
  { name: "stream", report: "stream" },
  { name: "sessions", report: "sessions" },
  { name: "state", report: "state", sizes: [1000, 50_000, 1_000_000] },
  { name: "abort", report: "abort" },
  { name: "takeover", report: "takeover" },
  { name: "size", report: "size" },
  { name: "crowd", report: "crowd" },
  { name: "readers", report: "readers" },
];

const OURS = "turnkeep";

/** Its lines as cells. The first line is the heading; a subject without figures says why in the second column. */
export function tableLines({ metrics: names, sizes }: Table, report: Report): string[][] {
  const metrics = names
    ? names.flatMap((name) => report.metrics.find((metric) => metric.name === name) ?? [])
    : report.metrics;
  const [first] = metrics;
  if (first === undefined) return [];
  const heading = [
    ...(report.axis === undefined ? [] : [report.axis]),
    "",
    ...metrics.map(({ label }) => label),
    "spread",
    "× ours",
  ];
  const isWanted = ({ size }: ReportRow): boolean =>
    report.isQuick || (sizes?.includes(size) ?? true);
  const rows = report.rows.filter(isWanted).toSorted(bySizeAnd(first));
  return [heading, ...rows.map((row) => lineOf(row, report, metrics))];
}

// The best first; those without figures last.
function bySizeAnd({ name, better }: Metric): (one: ReportRow, other: ReportRow) => number {
  const sign = better === "more" ? -1 : 1;
  const rank = ({ values }: ReportRow): number =>
    sign * (values?.[name]?.median ?? sign * Infinity);
  return (one, other) => one.size - other.size || compareNumbers(rank(one), rank(other));
}

function compareNumbers(one: number, other: number): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function lineOf(row: ReportRow, report: Report, metrics: readonly Metric[]): string[] {
  const where = report.axis === undefined ? [] : [figure(row.size)];
  const name = row.subject.startsWith(OURS) ? `**${row.subject}**` : row.subject;
  if (row.values === undefined) {
    const blanks = metrics.slice(1).map(() => "");
    return [...where, name, row.absent ?? "", ...blanks, "", ""];
  }
  const [first] = metrics;
  const { spread } = row.values[first?.name ?? ""] ?? {};
  return [
    ...where,
    name,
    ...metrics.map((metric) => figure(row.values?.[metric.name]?.median)),
    spread === undefined ? "–" : `${Math.round(spread * 100)} %`,
    ratioToOurs(row, report, first),
  ];
}

/** How many times worse than ours; below 1 it is better. Of our stores, ours is the one named first. */
function ratioToOurs(row: ReportRow, { rows }: Report, metric: Metric | undefined): string {
  if (metric === undefined || metric.better === "neither") return "";
  const ours = rows.find(({ subject, size }) => subject.startsWith(OURS) && size === row.size);
  const [own, other] = [ours, row].map((one) => one?.values?.[metric.name]?.median);
  if (own === undefined || other === undefined) return "";
  return figure(metric.better === "less" ? other / own : own / other);
}

/** Three digits that count. */
export function figure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return `${Number(value.toPrecision(3))}`;
}
