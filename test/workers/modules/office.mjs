// Agents for `turnkeep worker`, on the built package. Says what it does, for the test to wait for.
import process from "node:process";
import { buildCustomAgent } from "../../../dist/agent/index.js";
import { openSqliteStore } from "../../../dist/stores/sqlite/index.js";

const { database, leaseMs, isStubborn } = JSON.parse(process.env.TURNKEEP_OFFICE);

const clerk = buildCustomAgent(
  { name: "clerk", store: await openSqliteStore(database), limits: { leaseMs } },
  async ({ session }) => {
    await session.run(async (_, turn) => {
      process.stdout.write(`begun ${session.sessionId} ${turn.attempt}\n`);
      if (isStubborn) {
        await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
        process.stdout.write(`stopped ${session.sessionId} ${turn.signal.reason.reason}\n`);
      }
      session.addMessages({ role: "model", content: [{ text: `by ${process.pid}` }] });
      return { finishReason: "stop" };
    });
  },
);

// Nobody is left to kill it when the one who started it is gone.
process.stdin.once("close", () => process.exit()).resume();

export const agents = { clerk };
