// An agent whose turns wait until the test ends them, on the built package, in a process that has imported Genkit.
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { genkit } from "genkit";
import { defineCustomAgent } from "turnkeep";
import { openSqliteStore } from "turnkeep/stores/sqlite";

genkit({});
const folder = process.env.TURNKEEP_PATIENT;

export const agents = [
  defineCustomAgent(
    {
      name: "patient",
      store: await openSqliteStore(join(folder, "waits.db")),
      // Nobody takes a turn over by itself in a test's time: it has to be handed off.
      limits: { leaseMs: 600_000 },
    },
    async ({ session }) => {
      await session.run(async (_, { signal }) => {
        process.stdout.write(`begun by ${process.pid}\n`);
        while (!existsSync(join(folder, "go"))) await sleep(10, undefined, { signal });
        process.stdout.write(`ended by ${process.pid}\n`);
        return { finishReason: "stop" };
      });
      return session.result();
    },
  ),
];
