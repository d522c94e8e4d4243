import type { AgentOptions } from "turnkeep";
import { systemPorts } from "../../src/ledger/index.ts";

// Its own, so that it is known among other times.
const TURN_MS = 612_345;

export interface TurnDeadline {
  /** For the agent whose turns it ends. */
  readonly options: Required<Pick<AgentOptions<never>, "limits" | "ports">>;
  /** From now on the turn has taken too long. */
  readonly pass: () => void;
}

/** A time for turns that is over when the test says so. */
export function turnDeadline(): TurnDeadline {
  const { timers } = systemPorts;
  const calls = new Set<() => void>();
  const after: typeof timers.after = (milliseconds, call) => {
    if (milliseconds !== TURN_MS) return timers.after(milliseconds, call);
    calls.add(call);
    return () => void calls.delete(call);
  };
  return {
    options: {
      limits: { turnMs: TURN_MS },
      ports: { ...systemPorts, timers: { ...timers, after } },
    },
    pass: () => {
      for (const call of calls) call();
    },
  };
}
