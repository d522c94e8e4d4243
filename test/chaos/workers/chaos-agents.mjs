// What the workers work for. Plain JavaScript on the built package, because they must start fast: they die often.
import { appendFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { buildCustomAgent } from "../../../dist/agent/index.js";
import { openStore } from "./open-store.mjs";

const { store, effects, journal, leaseMs, attempts } = JSON.parse(process.env.TURNKEEP_CHAOS);

const note = (word, { snapshotId, attempt }) => {
  const entry = { pid: process.pid, at: Date.now(), [word]: snapshotId, attempt };
  appendFileSync(journal, `${JSON.stringify(entry)}\n`);
  // Whoever strikes wants to know who is in the middle of something.
  process.stdout.write(`${word}\n`);
};

const clerk = buildCustomAgent(
  { name: "clerk", store: await openStore(store), limits: { leaseMs, attempts } },
  async ({ session, respond }) => {
    await session.run(async (_, turn) => {
      const { snapshotId } = turn;
      note("begun", turn);
      respond.text("one moment");
      await sleep(Math.random() * 150);
      // Must never run twice, and nobody can ask whether it did.
      await turn.step({ name: "stamp", input: null }, async () => {
        appendFileSync(effects, `${snapshotId}\n`);
        await sleep(Math.random() * 20);
        return null;
      });
      await sleep(Math.random() * 150);
      session.addMessages({ role: "model", content: [{ text: `stamped ${snapshotId}` }] });
      note("ended", turn);
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

// Nobody is left to kill it when the one who started it is gone.
process.stdin.once("close", () => process.exit()).resume();

export const agents = [clerk];
