// A process that works on turns until it is killed. Plain JavaScript on the built package, because it must start fast: it dies often.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { EMPTY_CONTENT, Ledger, TurnkeepError } from "../../dist/ledger/index.js";
import { stepKey } from "../../dist/ledger/row-key.js";
import { openPlace } from "../support/places/open-place.mjs";
import { skewClock } from "./skew-clock.mjs";

const { place, effects, journal, leaseMs, skewMs } = JSON.parse(process.argv[2]);
const MOST_AT_ONCE = 8;
const MAX_ATTEMPTS = 50;
const INTERRUPTED = {
  status: "failed",
  finishReason: "interrupted",
  error: { status: "ABORTED", message: "A tool was started and may or may not have run." },
};

skewClock(skewMs);
const store = await openPatiently();
const ledger = new Ledger({ store, leaseMs, maxAttempts: MAX_ATTEMPTS });
const busy = new Set();

/** The server may be down, or a frozen neighbour hold the lock of the file: the store says so, and we ask again. */
async function openPatiently() {
  for (;;) {
    try {
      return await openPlace(place);
    } catch (error) {
      if (error.retryable !== true) throw error;
      note({ error: errorText(error) });
      await sleep(50);
    }
  }
}

async function searchForWork() {
  for (;;) {
    try {
      const isIdle = busy.size >= MOST_AT_ONCE || !(await claimOne());
      if (isIdle) await sleep(10 + Math.random() * 20);
    } catch (error) {
      note({ error: errorText(error) });
      await sleep(50);
    }
  }
}

async function claimOne() {
  const due = await store.due({ kind: "work", limit: 2 * MOST_AT_ONCE });
  const free = due.filter((key) => !busy.has(key.sessionId));
  // Not always the first, or the workers would only ever meet at one session.
  const key = free[Math.floor(Math.random() * Math.min(4, free.length))];
  if (key === undefined) return false;
  busy.add(key.sessionId);
  const answer = await ledger.claim(key).catch((error) => {
    busy.delete(key.sessionId);
    throw error;
  });
  if (answer.kind !== "claimed") {
    busy.delete(key.sessionId);
    return false;
  }
  const { snapshotId, epoch } = answer.claim;
  note({ claimed: { snapshotId, epoch, pid: process.pid, at: timeNow() } });
  new Turn(key, answer.claim)
    .run()
    .catch((error) => note({ error: errorText(error), abandoned: { snapshotId, epoch } }))
    .finally(() => busy.delete(key.sessionId));
  return true;
}

/** Somebody else has the turn now, or it was aborted: whatever is left to do must not be done. */
class NoLongerOurs extends Error {}

class Turn {
  #key;
  #claim;
  #nextSeq;
  #lost;

  constructor(key, claim) {
    this.#key = key;
    this.#claim = claim;
    this.#nextSeq = claim.nextSeq;
  }

  async run() {
    const over = new AbortController();
    const beating = this.#beat(over.signal);
    try {
      await this.#work();
    } catch (error) {
      if (!(error instanceof NoLongerOurs)) throw error;
      note({ fenced: error.message });
      await ledger.release(this.#key, this.#claim);
    } finally {
      over.abort();
      await beating;
    }
  }

  async #work() {
    const work = await ledger.work(this.#key, this.#claim);
    await this.#stream(2 + Math.floor(Math.random() * 4));
    const isToolDone = await this.#useTool();
    await this.#stream(1 + Math.floor(Math.random() * 2));
    const start = work.start?.content ?? EMPTY_CONTENT;
    const reply = { role: "model", content: [{ text: `reply ${this.#claim.snapshotId}` }] };
    const finished = await ledger.finish(this.#key, work, {
      ...(isToolDone ? { status: "completed", finishReason: "stop" } : INTERRUPTED),
      content: { ...start, messages: start.messages.grow([work.inputs[0], reply]) },
      nextSeq: this.#nextSeq,
    });
    note({ finished: finished.kind, snapshotId: this.#claim.snapshotId });
  }

  async #stream(count) {
    for (let index = 0; index < count; index += 1) {
      await sleep(Math.random() * 25);
      if (this.#lost) throw new NoLongerOurs(this.#lost);
      const events = [{ type: "chunk", epoch: this.#claim.epoch, index }];
      const seq = this.#nextSeq;
      this.#insist(await ledger.appendEvents(this.#key, this.#claim, { seq, events }));
      this.#nextSeq += 1;
    }
  }

  /** Runs a tool that must never run twice. Answers whether it is known to be done. */
  async #useTool() {
    const { runId, turn, epoch } = this.#claim;
    const [started, done] = ["started", "done"].map((mark) => stepKey(runId, `${turn}-${mark}`));
    const { rows } = await store.load(this.#key, { rows: [started, done] });
    if (rows.has(done)) return true;
    if (rows.has(started)) return false;
    await this.#journalStep(started, epoch);
    appendFileSync(effects, `${this.#claim.snapshotId}\n`);
    await sleep(Math.random() * 10);
    await this.#journalStep(done, epoch);
    return true;
  }

  async #journalStep(key, epoch) {
    const row = { key, value: JSON.stringify({ epoch }) };
    this.#insist(await ledger.appendRows(this.#key, this.#claim, [row]));
  }

  #insist(outcome) {
    if (outcome !== "ok") throw new NoLongerOurs(outcome);
  }

  async #beat(signal) {
    while (!signal.aborted && !this.#lost) {
      await sleep(leaseMs / 3, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        const { kind } = await ledger.renew(this.#key, this.#claim);
        if (kind !== "renewed") this.#lost = kind;
      } catch (error) {
        note({ error: errorText(error) });
      }
    }
  }
}

function note(entry) {
  appendFileSync(journal, `${JSON.stringify(entry)}\n`);
}

// Right whatever the clock says.
function timeNow() {
  return performance.timeOrigin + performance.now();
}

function errorText(error) {
  const isExpected = TurnkeepError.is(error) && error.retryable;
  return `${isExpected ? "retryable" : "unexpected"}: ${error?.stack ?? error}`;
}

// Nobody is left to kill it when the one who started it is gone.
process.stdin.once("close", () => process.exit()).resume();
// Down here, because classes are there only after their definition.
process.stdout.write("ready\n");
await searchForWork();
