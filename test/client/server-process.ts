// A server in a process of its own, to be killed in mid-turn. Run from source, through tsx.
import { setTimeout as sleep } from "node:timers/promises";
import { defineCustomAgent } from "turnkeep";
import { serve } from "turnkeep/node";
import { openSqliteStore } from "turnkeep/stores/sqlite";

export interface ServerOrder {
  readonly database: string;
  readonly port: number;
  readonly words: number;
}

const order = JSON.parse(process.argv[2] ?? "{}") as ServerOrder;
const store = await openSqliteStore(order.database);
const agent = defineCustomAgent(
  { name: "talker", store, limits: { leaseMs: 1500 } },
  async ({ session, respond }) => {
    await session.run(async (_input, { signal }) => {
      for (let word = 0; word < order.words; word += 1) {
        respond.text(`${word} `);
        await sleep(20, undefined, { signal });
      }
      session.addMessages({ role: "model", content: [{ text: "all said" }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);
process.stdin.once("close", () => process.exit()).resume();
const server = await serve([agent], { auth: "public", port: order.port });
// Whoever is asked to end lets go of what runs.
process.once("SIGTERM", () => void server.close().then(() => process.exit()));
process.stdout.write(`${server.port}\n`);
process.stdout.write("ready\n");
