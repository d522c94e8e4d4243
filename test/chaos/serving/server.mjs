// A process that serves an agent until it is told to close, or dies. Plain JavaScript on the built package, because it must start fast.
import { appendFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { defineCustomAgent } from "../../../dist/agent/index.js";
import { closeOnSignals, serve } from "../../../dist/node/index.js";
import { openStore } from "../workers/open-store.mjs";

const { place, effects, journal, leaseMs, attempts } = JSON.parse(process.argv[2]);
const GRACE_PERIODS_MS = [0, 50, 300];
const LONGEST_ANSWER_MS = 60;

/** Inputs whose commit is in flight. */
let accepting = 0;

const note = (entry) =>
  appendFileSync(journal, `${JSON.stringify({ pid: process.pid, ...entry })}\n`);

/** The store, as behind a network: some accepts are durable a while before their answer comes. */
function distant(store) {
  const commit = async (key, change) => {
    const isAccept = change.put?.some((row) => row.key.startsWith("input/"));
    if (!isAccept) return await store.commit(key, change);
    accepting += 1;
    process.stdout.write("accepting\n");
    try {
      const answer = await store.commit(key, change);
      if (Math.random() < 0.5) await sleep(Math.random() * LONGEST_ANSWER_MS);
      return answer;
    } finally {
      accepting -= 1;
    }
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "commit") return commit;
      const member = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

const clerk = defineCustomAgent(
  {
    name: "clerk",
    store: distant(await openStore(place)),
    limits: { leaseMs, attempts },
    events: "store",
  },
  async ({ session, respond }) => {
    await session.run(async (_, turn) => {
      const { snapshotId, attempt } = turn;
      note({ begun: snapshotId, attempt });
      respond.text("one moment");
      await sleep(Math.random() * 60);
      // Must never run twice, and nobody can ask whether it did.
      await turn.step({ name: "stamp", input: null }, async () => {
        appendFileSync(effects, `${snapshotId}\n`);
        await sleep(Math.random() * 10);
        return null;
      });
      await sleep(Math.random() * 60);
      session.addMessages({ role: "model", content: [{ text: `stamped ${snapshotId}` }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

const server = await serve([clerk], { auth: "public" });
const gracePeriodMs = GRACE_PERIODS_MS[process.pid % GRACE_PERIODS_MS.length];
const close = async (options) => {
  note({ closing: true, accepting });
  await server.close(options);
};
closeOnSignals({ close }, { gracePeriodMs });

// A handler that computes for longer than it should.
process.on("SIGUSR2", () => {
  const until = performance.now() + leaseMs * (0.7 + Math.random() * 0.5);
  while (performance.now() < until);
});

// Nobody is left to end it when the one who started it is gone.
process.stdin.once("close", () => process.exit()).resume();
process.stdout.write(`ready ${server.url}\n`);
