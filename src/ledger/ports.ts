/** Milliseconds since 1970. */
export interface Clock {
  readonly now: () => number;
}

/** Uniform in [0, 1). */
export interface Random {
  readonly next: () => number;
}

/** Fresh ids, 26 characters of `[0-9a-z]`, that sort by the time they were made. */
export interface IdSource {
  readonly next: () => string;
}

export interface Timers {
  /** Resolves after the time; rejects with the signal's own reason when that comes first. */
  readonly sleep: (milliseconds: number, options?: SleepOptions) => Promise<void>;
  /** Calls back once, later, without by itself keeping the process running. Returns how to call it off. */
  readonly after: (milliseconds: number, call: () => void) => () => void;
}

export interface SleepOptions {
  readonly signal?: AbortSignal;
  /** Does not by itself keep the process running. */
  readonly inBackground?: boolean;
}

/** Everything the ledger takes from its surroundings. Tests hand in their own. */
export interface Ports {
  readonly random: Random;
  readonly ids: IdSource;
  readonly timers: Timers;
}
