import type { Queue } from "bullmq";
import type { DispatchedWork, Dispatcher } from "../../agent/index.ts";
import { systemClock } from "../../ledger/index.ts";
import { TurnkeepError } from "../../protocol/index.ts";
import { ErrorReports, type WorkerTrouble } from "../error-reports.ts";
import { openQueue } from "./bullmq-queue.ts";
import { queueError } from "./queue-error.ts";
import { placeOf, type QueueOptions, type QueuePlace } from "./queue-place.ts";
import { jobIdOf, jobOf } from "./session-job.ts";

/** Where the queue is, and who hears of its troubles. */
export interface DispatcherOptions extends QueueOptions {
  /** Told, at most once a second, why work could not be announced. Workers find it all the same, a little later. */
  readonly onError?: (trouble: WorkerTrouble) => void;
}

const JOB_NAME = "session";
const TRY_AGAIN_MS = 1000;

/**
 * Announces work by BullMQ, as jobs that hold the name of a session and nothing else. Connects when there is something to announce.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the options name no queue.
 */
export function bullmqDispatcher(options: DispatcherOptions): BullmqDispatcher {
  return new BullmqDispatcher(options);
}

/** Announces turns to workers by a queue of BullMQ; the queue is told names of sessions and no more. */
export class BullmqDispatcher implements Dispatcher {
  readonly #place: QueuePlace;
  readonly #reports: ErrorReports;
  readonly #underWay = new Set<Promise<unknown>>();
  #queue: Promise<Queue> | undefined;
  #failed: { readonly at: number; readonly error: unknown } | undefined;
  #isClosed = false;

  constructor({ onError = () => {}, ...options }: DispatcherOptions) {
    this.#place = placeOf(options);
    this.#reports = new ErrorReports(onError, systemClock);
  }

  /** Where its queue is: workers of the same queue can be told by it. */
  get place(): QueuePlace {
    return this.#place;
  }

  readonly dispatch = async (work: DispatchedWork): Promise<void> => {
    const adding = this.#add(work);
    this.#underWay.add(adding);
    try {
      await adding;
    } catch (error) {
      const trouble = queueError(this.#place, error);
      this.#reports.add(trouble);
      throw trouble;
    } finally {
      this.#underWay.delete(adding);
    }
  };

  /** Waits for what is being announced, then disconnects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay);
    const queue = await this.#queue?.catch(() => undefined);
    await queue?.close().catch(() => {});
  }

  async #add(work: DispatchedWork): Promise<void> {
    const queue = await this.#open();
    await queue.add(JOB_NAME, jobOf(work.key), {
      jobId: jobIdOf(work),
      removeOnComplete: true,
      removeOnFail: true,
    });
  }

  // A server that was away a moment ago is not asked again for each turn.
  async #open(): Promise<Queue> {
    if (this.#isClosed) throw new TurnkeepError("FAILED_PRECONDITION", "The dispatcher is closed.");
    if (this.#queue === undefined) {
      const failed = this.#failed;
      if (failed && systemClock.now() - failed.at < TRY_AGAIN_MS) throw failed.error;
      this.#queue = openQueue(this.#place, this.#reports.add);
      this.#queue.catch((error: unknown) => {
        this.#queue = undefined;
        this.#failed = { at: systemClock.now(), error };
      });
    }
    return await this.#queue;
  }
}
