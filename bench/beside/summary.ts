import { median } from "../median.ts";
import type { Sample } from "./comparison.ts";

/** Repeated measurements of one thing. */
export interface Value {
  readonly median: number;
  /** (most - least) by the median; absent where it was measured once. */
  readonly spread?: number;
}

export type Values = Readonly<Record<string, Value>>;

/** Each metric by itself. Figures are kept to four digits: more would be chance. */
export function summarize(samples: readonly Sample[]): Values {
  const names = [...new Set(samples.flatMap((sample) => Object.keys(sample)))];
  return Object.fromEntries(
    names.map((name) => {
      const numbers = samples.flatMap((sample) => sample[name] ?? []);
      const middle = median(numbers);
      const spread = (Math.max(...numbers) - Math.min(...numbers)) / Math.abs(middle);
      const value = { median: rounded(middle) };
      return [name, numbers.length > 1 ? { ...value, spread: rounded(spread) } : value];
    }),
  );
}

/** To four digits that count. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
