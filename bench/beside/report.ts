import type { Metric } from "./comparison.ts";
import type { Machine } from "./machine.ts";
import type { Values } from "./summary.ts";

export interface ReportRow {
  readonly subject: string;
  readonly size: number;
  readonly values?: Values;
  /** Why there are no values. */
  readonly absent?: string;
}

/** What a comparison found, as it is kept. */
export interface Report {
  readonly name: string;
  readonly title: string;
  readonly axis?: string;
  readonly metrics: readonly Metric[];
  readonly isQuick: boolean;
  readonly measuredAt: string;
  readonly seconds: number;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly rows: readonly ReportRow[];
}

export function findValue(
  { rows }: Report,
  subject: string,
  { metric, size }: { readonly metric: string; readonly size?: number },
): number | undefined {
  const row = rows.find((one) => one.subject === subject && (size ?? one.size) === one.size);
  return row?.values?.[metric]?.median;
}
