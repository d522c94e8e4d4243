import type { Clock } from "../ledger/index.ts";

/** A clock that stands still until it is told. */
export interface FakeClock extends Clock {
  readonly advance: (milliseconds: number) => void;
  readonly set: (milliseconds: number) => void;
}

/** A clock that stands still until it is moved. */
export function fakeClock(start = 1_700_000_000_000): FakeClock {
  let time = start;
  return {
    now: () => time,
    advance: (milliseconds) => {
      time += milliseconds;
    },
    set: (milliseconds) => {
      time = milliseconds;
    },
  };
}
