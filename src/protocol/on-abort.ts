const CALLS = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal aborts, at once if it has. Returns how to call that off. Many may wait for one signal: it gets one listener for all of them.
 *
 * @internal
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  if (signal.aborted) {
    call();
    return nothing;
  }
  const calls = CALLS.get(signal) ?? listenTo(signal);
  calls.add(call);
  return () => void calls.delete(call);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const calls = new Set<() => void>();
  CALLS.set(signal, calls);
  const callAll = (): void => {
    for (const call of calls) call();
    calls.clear();
  };
  signal.addEventListener("abort", callAll, { once: true });
  return calls;
}

function nothing(): void {}
