import type { AnyLocalAgent, Dispatcher, WorkDesk } from "../../agent/index.ts";
import { type Ports, systemClock, systemPorts } from "../../ledger/index.ts";
import { TurnkeepError } from "../../protocol/index.ts";
import { ErrorReports, type WorkerTrouble } from "../error-reports.ts";
import type { RunningWorker } from "../running-worker.ts";
import { WorkSlots } from "../work-slots.ts";
import type { BullmqDispatcher } from "./bullmq-dispatcher.ts";
import { startBullmqWorker } from "./bullmq-worker.ts";
import { placeOf, type QueueOptions, type QueuePlace } from "./queue-place.ts";

/** Whose turns a worker takes, from which queue, and how many at once. */
export interface StartWorkerOptions extends Partial<QueueOptions> {
  /** Whose turns to work on. Each has a store, which other processes use too. */
  readonly agents: readonly AnyLocalAgent[];
  /** Whose queue to take work from, instead of `connection`. That of the agents, unless told. */
  readonly dispatcher?: BullmqDispatcher;
  /** Sessions worked on at once; 8 unless told. */
  readonly concurrency?: number;
  /** How many of them may be of one tenant. */
  readonly perTenant?: number;
  /** How many of them may be of one agent. */
  readonly perAgent?: number;
  /** How often to look into the stores for work that was not announced, on average; every second unless told. */
  readonly scanMs?: number;
  /** Told, at most once a second, what goes wrong while the worker goes on. */
  readonly onError?: (trouble: WorkerTrouble) => void;
  /** Chance and timers; for tests. */
  readonly ports?: Ports;
}

/**
 * Works on the turns of agents that nobody waits for, and takes over those whose worker is gone, until it is stopped. Everything it needs is checked
 * before it takes the first.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the options make no sense; FAILED_PRECONDITION when an agent has no store, a package is missing or the
 * server is not fit for a queue; UNAVAILABLE when the server or a store does not answer.
 */
export async function startWorker(options: StartWorkerOptions): Promise<RunningWorker> {
  const { concurrency = 8, perTenant, perAgent, scanMs = 1000 } = options;
  const { ports = systemPorts, onError = () => {} } = options;
  if (options.agents.length === 0) {
    throw new TurnkeepError("INVALID_ARGUMENT", "A worker needs agents to work for: name some.");
  }
  const slots = new WorkSlots({ concurrency, perTenant, perAgent });
  const desks = await Promise.all(options.agents.map((agent) => agent.takeWorkDesk()));
  const place = placeFor(options, desks);
  for (const desk of desks) await desk.open();
  const reports = new ErrorReports(onError, systemClock);
  return await startBullmqWorker({ place, desks, slots, concurrency, scanMs, ports, reports });
}

function placeFor(options: StartWorkerOptions, desks: readonly WorkDesk[]): QueuePlace {
  const { connection, dispatcher, queue, migrate } = options;
  const own = desks.flatMap((desk) => (isOnBullmq(desk.dispatcher) ? [desk.dispatcher] : []));
  if (connection !== undefined) {
    return placeOf({
      connection,
      ...(queue !== undefined && { queue }),
      ...(migrate !== undefined && { migrate }),
    });
  }
  const [place, ...others] = dispatcher ? [dispatcher.place] : own.map((one) => one.place);
  if (place === undefined) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      "A worker needs a queue: name its connection, or give an agent a bullmqDispatcher.",
    );
  }
  if (others.some(({ url, name }) => url !== place.url || name !== place.name)) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      "The agents announce their work in different queues: start a worker for each.",
    );
  }
  return { ...place, name: queue ?? place.name, migrate: migrate ?? place.migrate };
}

// By what it has: the agents may come with a copy of this package of their own.
function isOnBullmq(dispatcher: Dispatcher | undefined): dispatcher is BullmqDispatcher {
  return dispatcher !== undefined && "place" in dispatcher;
}
