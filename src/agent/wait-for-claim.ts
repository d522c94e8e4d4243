import {
  type Claim,
  type Ledger,
  SessionHints,
  type SessionKey,
  type TurnRef,
} from "../ledger/index.ts";
import { onAbort } from "../protocol/index.ts";
import { isPassing } from "./is-passing.ts";
import { turnAborted, turnTaken } from "./turn-lease.ts";

// Hints may be lost, and a slot may become free by the passing of time alone.
const LONGEST_WAIT_MS = 250;

/**
 * Waits until a turn that stands in the queue may begin. When the signal aborts, the turn stays in the queue for other processes.
 *
 * @throws TurnkeepError CANCELLED when it was aborted while it waited, ABORTED when another process has begun it, or will.
 */
export async function waitForClaim(
  ledger: Ledger,
  key: SessionKey,
  { turn, signal }: { readonly turn: TurnRef; readonly signal: AbortSignal },
): Promise<Claim> {
  const stop = new AbortController();
  const forget = onAbort(signal, () => stop.abort(null));
  const { store, ports } = ledger;
  const hints = new SessionHints(key, { store, ports, signal: stop.signal });
  try {
    for (;;) {
      if (signal.aborted) throw turnTaken();
      const claim = await tryToClaim(ledger, key, turn);
      if (claim) return claim;
      await hints.next(LONGEST_WAIT_MS);
    }
  } finally {
    forget();
    stop.abort(null);
  }
}

// A store that is away for a while keeps the turn waiting, no more.
async function tryToClaim(
  ledger: Ledger,
  key: SessionKey,
  turn: TurnRef,
): Promise<Claim | undefined> {
  try {
    const claimed = await ledger.claim(key, { only: turn.snapshotId });
    if (claimed.kind === "claimed") return claimed.claim;
    await checkWaiting(ledger, key, turn);
  } catch (error) {
    if (!isPassing(error)) throw error;
  }
  return undefined;
}

async function checkWaiting(
  { store }: Ledger,
  key: SessionKey,
  { snapshotId }: TurnRef,
): Promise<void> {
  const { record } = await store.load(key);
  if (record?.queue.some((queued) => queued.snapshotId === snapshotId)) return;
  throw record?.active?.snapshotId === snapshotId && !record.active.stopping
    ? turnTaken()
    : turnAborted();
}
