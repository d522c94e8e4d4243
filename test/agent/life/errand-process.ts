// A process that runs an errand and dies where it is told to. Run from source, through tsx.
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { type Death, errandAgent } from "./errand-agent.ts";

export interface ErrandOrder {
  readonly database: string;
  readonly effects: string;
  readonly leaseMs: number;
  readonly idempotent?: boolean;
  /** What to begin with; nothing, when it only looks for what others left. */
  readonly start?: "detached" | "attached";
  readonly sessionId: string;
  readonly death?: Death;
  /** Dies each time it gets there, not only the first. */
  readonly isPoison?: boolean;
}

const order = JSON.parse(process.argv[2] ?? "{}") as ErrandOrder;
const store = await openSqliteStore(order.database);
const agent = errandAgent({
  ...order,
  store,
  pass: (place, { attempt }) => {
    if (place !== order.death || (attempt > 1 && !order.isPoison)) return;
    process.kill(process.pid, "SIGKILL");
  },
});
// Nobody is left to kill it when the one who started it is gone.
process.stdin.once("close", () => process.exit()).resume();
if (order.start !== undefined) {
  const connection = agent.connect({ sessionId: order.sessionId });
  process.stdout.write(`${connection.runId}\n`);
  await connection.send({
    message: { role: "user", content: [{ text: "go" }] },
    detach: order.start === "detached",
  });
} else {
  process.stdout.write("ready\n");
}
setInterval(() => {}, 1000);
