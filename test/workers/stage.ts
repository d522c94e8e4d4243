import type { LocalAgent, SessionStore } from "turnkeep";
import {
  bullmqDispatcher,
  type BullmqDispatcher,
  type RunningWorker,
  startWorker,
  type StartWorkerOptions,
} from "turnkeep/workers/bullmq";
import { whenOver } from "../agent/life/leftovers.ts";
import { type Meanwhile, slowAgent } from "../agent/life/slow-agent.ts";
import { databaseFile, openShared } from "../agent/life/stores.ts";
import { type Engine, freshQueue } from "./engines.ts";

const LEASE_MS = 5000;

/** One store and one queue, with an agent that sends its detached turns away and any number of workers. */
export class Stage {
  readonly engine: Engine;
  readonly queue: string;
  readonly dispatcher: BullmqDispatcher;
  readonly front: LocalAgent;
  readonly #file: string;

  static async open(engine: Engine): Promise<Stage> {
    const file = databaseFile();
    return new Stage(engine, file, await openShared(file));
  }

  private constructor(engine: Engine, file: string, store: SessionStore) {
    this.engine = engine;
    this.#file = file;
    this.queue = freshQueue(engine);
    this.dispatcher = bullmqDispatcher({ connection: engine.url, queue: this.queue });
    this.front = slowAgent({ store, dispatcher: this.dispatcher });
    whenOver(() => this.dispatcher.close());
  }

  /** An agent as another process would have it. */
  async agent(
    meanwhile?: Meanwhile,
    name = "slow",
    leaseMs: number = LEASE_MS,
  ): Promise<LocalAgent> {
    const store = await openShared(this.#file);
    const { dispatcher } = this;
    return slowAgent({ name, store, dispatcher, limits: { leaseMs } }, meanwhile);
  }

  async startWorker(
    agents: LocalAgent | readonly LocalAgent[],
    options: Partial<StartWorkerOptions> = {},
  ): Promise<RunningWorker> {
    const worker = await startWorker({ agents: [agents].flat(), ...options });
    whenOver(() => worker.stop());
    return worker;
  }
}
