/** Has a signal, which may be made only when it is asked for. */
export interface SignalSource {
  readonly signal: AbortSignal;
}

const SOURCE = Symbol("signal");

type Sourced = { readonly [SOURCE]: SignalSource };

// One getter for all. An engine makes a new shape for an object whose getter is its own, and keeps it, with everything the getter can reach, until the
// next full collection: for every turn that would be the whole run.
const LAZY_SIGNAL = {
  enumerable: true,
  get(this: Sourced): AbortSignal {
    return this[SOURCE].signal;
  },
};

/** Gives the object the signal of the source, made only for those who ask for it; a copy of the object has it too. */
export function withSignal<Members extends object>(
  members: Members,
  source: SignalSource,
): Members & SignalSource {
  const sourced: Members & Sourced = Object.assign(members, { [SOURCE]: source });
  return Object.defineProperty(sourced, "signal", LAZY_SIGNAL) as Members & Sourced & SignalSource;
}
