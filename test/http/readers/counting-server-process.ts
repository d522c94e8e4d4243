// A process that serves an agent which counts, until it is killed. Run from source, through tsx.
import { setTimeout as sleep } from "node:timers/promises";
import { defineCustomAgent } from "turnkeep";
import { serve } from "turnkeep/node";
import { openSqliteStore } from "turnkeep/stores/sqlite";

export interface CountingOrder {
  readonly database: string;
  readonly port: number;
  readonly leaseMs: number;
  readonly chunks: number;
}

const order = JSON.parse(process.argv[2] ?? "{}") as CountingOrder;
const store = await openSqliteStore(order.database);
const agent = defineCustomAgent(
  { name: "counter", store, limits: { leaseMs: order.leaseMs } },
  async ({ session, respond }) => {
    await session.run(async (_, { signal }) => {
      for (let number = 1; number <= order.chunks; number += 1) {
        respond.text(`${number} `);
        if (number % 4 === 0) await sleep(20, undefined, { signal });
      }
      return { finishReason: "stop" };
    });
    return session.result();
  },
);
const server = await serve([agent], { auth: "public", port: order.port });
// Nobody is left to kill it when the one who started it is gone.
process.stdin.once("close", () => process.exit()).resume();
process.stdout.write(`${server.port}\nready\n`);
