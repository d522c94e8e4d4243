export type { WorkerTrouble } from "../error-reports.ts";
export type { RunningWorker } from "../running-worker.ts";
export {
  bullmqDispatcher,
  type BullmqDispatcher,
  type DispatcherOptions,
} from "./bullmq-dispatcher.ts";
export type { QueueOptions } from "./queue-place.ts";
export { startWorker, type StartWorkerOptions } from "./start-worker.ts";
