import type { Job, Processor, Worker } from "bullmq";
import type { DispatchedWork, WorkDesk } from "../../agent/index.ts";
import { type Ports, type SessionKey, systemClock } from "../../ledger/index.ts";
import type { ErrorReports } from "../error-reports.ts";
import type { RunningWorker } from "../running-worker.ts";
import { SessionWorker } from "../session-worker.ts";
import type { WorkSlots } from "../work-slots.ts";
import { BullmqDispatcher } from "./bullmq-dispatcher.ts";
import { openWorker } from "./bullmq-queue.ts";
import { loadPackage } from "./load-package.ts";
import type { QueuePlace } from "./queue-place.ts";
import { keyOfJob } from "./session-job.ts";
import { restInStorms } from "./storm-breaker.ts";

export interface BullmqWorkerOptions {
  readonly place: QueuePlace;
  readonly desks: readonly WorkDesk[];
  readonly slots: WorkSlots;
  readonly concurrency: number;
  readonly scanMs: number;
  readonly ports: Ports;
  readonly reports: ErrorReports;
}

interface Parts {
  readonly worker: Worker;
  readonly sessions: SessionWorker;
  readonly place: QueuePlace;
  readonly ports: Ports;
}

// How long a job waits that there was no place for.
const COME_BACK_MS = 1000;
// What a server that is away may hold up a stop by.
const CLOSE_MS = 3000;

/** A worker that is told of work by BullMQ. The queue says only where to look: who works on a session, and how often it is tried, its store decides. */
export class BullmqWorker implements RunningWorker {
  readonly #parts: Parts;
  #stopped: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  stop({ handOverMs = 0 }: { readonly handOverMs?: number } = {}): Promise<void> {
    this.#stopped ??= this.#stop(handOverMs);
    return this.#stopped;
  }

  async #stop(handOverMs: number): Promise<void> {
    const { worker, sessions, place } = this.#parts;
    const closed = worker.close();
    const handedOver = await sessions.stop({ handOverMs });
    // Only now, or this very worker might be told of it.
    await this.#inTime(closed);
    if (handedOver.length > 0) await this.#inTime(announce(place, handedOver));
  }

  async #inTime(work: Promise<unknown>): Promise<void> {
    const late = new AbortController();
    const { signal } = late;
    const time = this.#parts.ports.timers.sleep(CLOSE_MS, { signal, inBackground: true });
    await Promise.race([Promise.allSettled([work]), time.catch(() => {})]);
    late.abort(null);
  }
}

/** @throws TurnkeepError when something that it needs is missing or away: it takes no work then. */
export async function startBullmqWorker(options: BullmqWorkerOptions): Promise<BullmqWorker> {
  const { place, desks, slots, scanMs, ports, concurrency, reports } = options;
  const trouble = reports.add;
  const sessions = new SessionWorker({ desks, slots, scanMs, ports, trouble });
  const processor = await processorOf(sessions, options);
  const worker = await openWorker(place, processor, { concurrency, trouble });
  restInStorms(worker, { clock: systemClock, timers: ports.timers });
  worker.run().catch(trouble);
  sessions.start();
  return new BullmqWorker({ worker, sessions, place, ports });
}

// Those who are told need not wait until they look for it.
async function announce(place: QueuePlace, handedOver: readonly DispatchedWork[]): Promise<void> {
  const { url, name, migrate } = place;
  const dispatcher = new BullmqDispatcher({ connection: url, queue: name, migrate });
  await Promise.allSettled(handedOver.map(dispatcher.dispatch));
  await dispatcher.close();
}

// A job ends well whatever happens: the turn is in its store, where it is found again. Only one that there was no place for comes back.
async function processorOf(
  sessions: SessionWorker,
  { ports: { random }, reports }: BullmqWorkerOptions,
): Promise<Processor> {
  const { DelayedError } = await loadPackage("bullmq");
  return async (job: Job, token) => {
    let isDone = true;
    try {
      const key: SessionKey = keyOfJob(job.data);
      isDone = (await sessions.work(key)) === "done";
    } catch (error) {
      reports.add(error);
    }
    if (isDone) return;
    const pauseMs = COME_BACK_MS * (0.5 + random.next());
    await job.moveToDelayed(systemClock.now() + pauseMs, token);
    throw new DelayedError();
  };
}
