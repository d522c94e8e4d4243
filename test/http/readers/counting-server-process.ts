// A process that serves an agent which counts, until it is killed. Run through tsx.
import { setTimeout as sleep } from "node:timers/promises";
import { buildCustomAgent, type WorkerOptions } from "turnkeep";
import { serve } from "turnkeep/node";
import { openSqliteStore } from "turnkeep/stores/sqlite";

export interface CountingOrder {
  readonly database: string;
  readonly port: number;
  readonly leaseMs: number;
  readonly attempts: number;
  readonly worker: WorkerOptions;
  readonly chunks: number;
  /** Between four chunks and the next four. */
  readonly pauseMs: number;
  /** The chunk after which it says no more, so that it is in the middle of its turns when it is killed. */
  readonly holdAt?: number | undefined;
}

const order = JSON.parse(process.argv[2] ?? "{}") as CountingOrder;
const { leaseMs, attempts } = order;
const store = await openSqliteStore(order.database);
const agent = buildCustomAgent(
  { name: "counter", store, limits: { leaseMs, attempts } },
  async ({ session, respond }) => {
    await session.run(async (_, { signal }) => {
      for (let number = 1; number <= order.chunks; number += 1) {
        respond.text(`${number} `);
        if (number === order.holdAt) await new Promise<never>(() => {});
        if (number % 4 === 0) await sleep(order.pauseMs, undefined, { signal });
      }
      return { finishReason: "stop" };
    });
    return session.result();
  },
);
agent.startWorker(order.worker);
const server = await serve([agent], { auth: "public", port: order.port });
// Nobody is left to kill it when the one who started it is gone.
process.stdin.once("close", () => process.exit()).resume();
process.stdout.write(`${server.port}\nready\n`);
