import type { ActiveTurn } from "./head-record.ts";

/** Where a turn stands. `stopping`: it is over, but its worker still holds the slot. */
export type TurnPhase = "queued" | "running" | "stopping" | "ended";

export type TurnAct = "claim" | "takeOver" | "advance" | "finish" | "abort" | "release";

/** What each act makes of a turn; `null` where it does nothing to it. Total: a missing cell does not compile. */
export const TURN_PHASES: Readonly<Record<TurnPhase, Readonly<Record<TurnAct, TurnPhase | null>>>> =
  {
    queued: {
      claim: "running",
      takeOver: null,
      advance: null,
      finish: null,
      abort: "ended",
      release: null,
    },
    // Releasing a turn that runs hands it over: the next worker need not wait for the lease.
    running: {
      claim: null,
      takeOver: "running",
      advance: "running",
      finish: "ended",
      abort: "stopping",
      release: "running",
    },
    stopping: {
      claim: null,
      takeOver: "ended",
      advance: "ended",
      finish: "ended",
      abort: null,
      release: "ended",
    },
    ended: {
      claim: null,
      takeOver: null,
      advance: null,
      finish: null,
      abort: null,
      release: null,
    },
  };

export function phaseOfActive(active: ActiveTurn): "running" | "stopping" {
  return active.stopping ? "stopping" : "running";
}

/** The turn that is in the way of others: one that was stopped is so no longer than its lease. */
export function turnInTheWay(active: ActiveTurn | null, now: number): ActiveTurn | null {
  return active?.stopping && active.leaseUntil <= now ? null : active;
}
