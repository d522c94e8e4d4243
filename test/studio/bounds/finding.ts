/** One thing that was measured, beside what it may be. */
export interface Finding {
  readonly what: string;
  /** `below` is not met by a value that is just as large. */
  readonly bound: { readonly below: number } | { readonly atMost: number };
  readonly unit: "ms" | "KB" | "px" | "rows";
  /** Of several rounds, times are told by their median; whatever must never be more, by the worst. */
  readonly told: "median" | "worst";
  readonly value: number;
}

/** A finding of all rounds together. */
export interface Judged extends Finding {
  readonly values: readonly number[];
  readonly isMet: boolean;
}

export function took(what: string, value: number, below: number): Finding {
  return { what, bound: { below }, unit: "ms", told: "median", value };
}

export function rowsIn(what: string, value: number, below: number): Finding {
  return { what, bound: { below }, unit: "rows", told: "worst", value };
}

export function kilobytes(what: string, bytes: number, below: number): Finding {
  return { what, bound: { below }, unit: "KB", told: "worst", value: bytes / 1024 };
}
