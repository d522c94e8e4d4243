/** Who is measured: a contender, and where it keeps its sessions or which of its parts it is. */
export interface Subject {
  readonly contender: string;
  readonly store: string;
}

/** What one process measures. */
export interface Task {
  readonly subject: Subject;
  readonly size: number;
  readonly isQuick: boolean;
  /** Empty, and removed afterwards. */
  readonly folder: string;
  /** Addresses of servers, by their name. */
  readonly urls: Readonly<Record<string, string | undefined>>;
}

/** What was measured once, by the name of the metric. One that the subject has not is left out. */
export type Sample = Readonly<Record<string, number>>;

export interface Metric {
  readonly name: string;
  readonly label: string;
  /** Which way is better, where that can be said. */
  readonly better: "less" | "more" | "neither";
}

/** Something that is measured with several subjects, at one or several sizes. */
export interface Comparison {
  readonly name: string;
  /** One sentence: what was done. */
  readonly title: string;
  /** What the sizes count; absent where there is one. */
  readonly axis?: string;
  readonly sizes: readonly number[];
  readonly quickSizes?: readonly number[];
  /** The first is the one that subjects are compared by. */
  readonly metrics: readonly Metric[];
  readonly repetitions: number;
  /** Everybody in memory, unless it says otherwise. */
  readonly subjects?: readonly Subject[];
  /** Servers it needs. */
  readonly services?: readonly ("postgres" | "redis")[];
  /** How long one measurement may take. */
  readonly secondsEach: number;
  readonly measure: (task: Task) => Promise<Sample>;
}

export function subjectName({ contender, store }: Subject): string {
  return store === "memory" ? contender : `${contender} ${store}`;
}
