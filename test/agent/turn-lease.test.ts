import { describe, expect, it } from "vitest";
import { TurnLease } from "../../src/agent/turn-lease.ts";
import {
  createScope,
  createSessionKey,
  Ledger,
  type SessionKey,
  systemPorts,
} from "../../src/ledger/index.ts";
import { MemoryStore } from "../../src/stores/memory/index.ts";
import { HandTimers } from "../support/hand-timers.ts";

// As long as a batch of events takes to be written on a machine that keeps up, and longer than it may take.
const A_BATCH_MS = 25;
const A_WHILE_MS = 500;
const KEY = createSessionKey(createScope("acme"), "talker", "session");

class WatchedStore extends MemoryStore {
  watches = 0;
  loads = 0;

  override watch(key: SessionKey, options: { readonly signal: AbortSignal }): AsyncIterable<void> {
    this.watches += 1;
    return super.watch(key, options);
  }

  override load(...call: Parameters<MemoryStore["load"]>): ReturnType<MemoryStore["load"]> {
    this.loads += 1;
    return super.load(...call);
  }
}

/** A turn that was claimed here, and a second hand on the same store. */
async function claimed() {
  const store = new WatchedStore();
  const timers = new HandTimers();
  const ledger = new Ledger({ store, ports: { ...systemPorts, timers }, leaseMs: 600_000 });
  const accepted = await ledger.accept(KEY, { input: "go", begin: true });
  if (accepted.kind !== "accepted" || accepted.claim === undefined) throw new Error("not begun");
  const { claim } = accepted;
  const lease = new TurnLease({ ledger, key: KEY, claim, leaseMs: 600_000, extended: () => {} });
  const abort = (): Promise<unknown> => new Ledger({ store }).abort(KEY, { runId: claim.runId });
  const passes = async (milliseconds = A_WHILE_MS): Promise<void> => {
    timers.pass(milliseconds);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { store, lease, abort, passes };
}

describe("a turn's lease", () => {
  it("neither watches nor reads the session while what is written proves that the turn is held", async () => {
    const { store, lease, passes } = await claimed();
    const { loads } = store;
    for (let written = 0; written < 20; written += 1) {
      lease.isProven = true;
      await passes(A_BATCH_MS);
    }
    expect([store.watches, store.loads]).toEqual([0, loads]);
    lease.end();
  });

  it("watches a turn that writes nothing, and reads the session only when told that it changed", async () => {
    const { store, lease, passes } = await claimed();
    const { loads } = store;
    for (let times = 0; times < 5; times += 1) await passes();
    expect([store.watches, store.loads]).toEqual([1, loads + 1]);
    lease.end();
  });

  it("notices an abort that came just after something was written", async () => {
    const { lease, abort, passes } = await claimed();
    lease.isProven = true;
    await passes();
    lease.isProven = true;
    await abort();
    for (let times = 0; times < 4; times += 1) await passes();
    expect(lease.lost.reason).toMatchObject({ status: "CANCELLED" });
  });

  it("notices it, too, when the hint of it comes together with that of something written", async () => {
    const { store, lease, abort, passes } = await claimed();
    await passes();
    expect(store.watches).toBe(1);
    lease.isProven = true;
    await abort();
    for (let times = 0; times < 4; times += 1) await passes();
    expect(lease.lost.reason).toMatchObject({ status: "CANCELLED" });
  });
});
