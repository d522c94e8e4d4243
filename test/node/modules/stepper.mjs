// An agent whose turns have three steps, on the built package. Each step waits until the test opens it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { defineCustomAgent } from "turnkeep";
import { openSqliteStore } from "turnkeep/stores/sqlite";

const { folder, importsGenkit } = JSON.parse(process.env.TURNKEEP_STEPPER);

if (importsGenkit) await importGenkit();

/** Genkit listens for SIGTERM and SIGINT, and calls `process.exit`, from its import on. */
export async function importGenkit() {
  const { genkit } = await import("genkit");
  genkit({});
}

export const agents = [
  defineCustomAgent(
    { name: "stepper", store: await openSqliteStore(join(folder, "steps.db")) },
    async ({ session }) => {
      await session.run(async (_, turn) => {
        for (const name of ["1", "2", "3"]) {
          await turn.step({ name }, async () => {
            process.stdout.write(`step ${name}\n`);
            while (!existsSync(join(folder, name))) await sleep(10);
          });
        }
        session.addMessages({ role: "model", content: [{ text: "three steps" }] });
        return { finishReason: "stop" };
      });
      return session.result();
    },
  ),
];
