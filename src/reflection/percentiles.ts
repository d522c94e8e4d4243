export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** The middle and the slow ends; `null` when there is nothing to tell. */
export function percentiles(values: readonly number[]): Percentiles | null {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (part: number): number =>
    sorted[Math.min(Math.ceil(part * sorted.length), sorted.length) - 1] ?? 0;
  return sorted.length === 0 ? null : { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
