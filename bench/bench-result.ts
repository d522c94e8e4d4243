export interface BenchOptions {
  /** The same seed gives the same texts. */
  readonly seed: number;
}

export type BenchRow = Readonly<Record<string, string | number | null>>;

export interface BenchResult {
  /** What `--json` prints. */
  readonly rows: readonly BenchRow[];
  /** The same for people. */
  readonly report: string;
  /** One sentence for each budget that was broken. */
  readonly broken: readonly string[];
}

/** What every `bench/<name>.ts` exports as `run`. */
export type RunBench = (options: BenchOptions) => Promise<BenchResult>;
