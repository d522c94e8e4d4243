// A process that begins errands and stands still in each where it is told to, until it is killed. Run from source, through tsx.
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { type Death, errandAgent } from "./errand-agent.ts";

export interface ErrandOrder {
  readonly database: string;
  readonly effects: string;
  readonly leaseMs: number;
  /** Which errands to begin: a session for each, with the place where it stands still. */
  readonly errands: readonly { readonly sessionId: string; readonly death: Death }[];
  readonly detach: boolean;
  /** Kills itself at this place of any errand, each time it gets there. */
  readonly poison?: Death;
}

const order = JSON.parse(process.argv[2] ?? "{}") as ErrandOrder;
const store = await openSqliteStore(order.database);
const agent = errandAgent({
  ...order,
  store,
  pass: async (place, { sessionId }, { attempt }) => {
    if (place === order.poison) process.kill(process.pid, "SIGKILL");
    const errand = order.errands.find((one) => one.sessionId === sessionId);
    if (attempt > 1 || errand?.death !== place) return;
    process.stdout.write(`${sessionId} stands\n`);
    await new Promise(() => {});
  },
});
// Nobody is left to kill it when the one who started it is gone.
process.stdin.once("close", () => process.exit()).resume();
for (const { sessionId } of order.errands) {
  const connection = agent.connect({ sessionId });
  const message = { role: "user" as const, content: [{ text: "go" }] };
  await connection.send({ message, detach: order.detach });
  process.stdout.write(`${sessionId} run ${connection.runId}\n`);
}
process.stdout.write("ready\n");
setInterval(() => {}, 1000);
