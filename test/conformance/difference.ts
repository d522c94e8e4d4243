/** Something that did not come out as a case expects it. */
export interface Difference {
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

const LONGEST_VALUE = 600;

export function differenceOf(path: string, expected: unknown, actual: unknown): Difference {
  return { path, expected: valueText(expected), actual: valueText(actual) };
}

/** The difference on one line. */
export function differenceText({ path, expected, actual }: Difference): string {
  return `${path}: expected ${expected}, got ${actual}`;
}

/** A value as a reader of a report can tell it from others. */
export function valueText(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
