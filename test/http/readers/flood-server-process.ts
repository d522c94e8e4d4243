// A process that serves an agent which says much, and tells of its runs and its answers. Run through tsx.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setInterval } from "node:timers/promises";
import { createHandler } from "turnkeep/http";
import { toNodeHandler } from "turnkeep/node";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { floodAgent } from "./flood-agent.ts";
import { WatchedAnswers } from "./watched-answers.ts";

export interface FloodOrder {
  readonly database: string;
  readonly chunks: number;
}

const order = JSON.parse(process.argv[2] ?? "{}") as FloodOrder;
const agent = floodAgent({ store: await openSqliteStore(order.database) }, order.chunks);
const answers = new WatchedAnswers();
const answer = toNodeHandler(createHandler([agent], { auth: "public" }));
// One run at a time.
let begin = 0;
const server = createServer((incoming, outgoing) => {
  const { url = "", method } = incoming;
  if (url === "/watch") return void outgoing.end(JSON.stringify(answers.report()));
  if (url === "/forget") return void outgoing.end(String(answers.forget()));
  if (url.startsWith("/time/")) {
    return void timeOf(url.slice("/time/".length)).then((ms) => outgoing.end(String(ms)));
  }
  if (method === "POST") begin = performance.now();
  if (url.endsWith("/events")) answers.add(outgoing);
  void answer(incoming, outgoing);
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\nready\n`);
});
// Nobody is left to kill it when the one who started it is gone.
process.stdin.once("close", () => process.exit()).resume();

// From when the input came until the run's end was kept.
async function timeOf(runId: string): Promise<number> {
  for await (const _ of setInterval(5)) if (!agent.isRunningHere(runId)) break;
  return performance.now() - begin;
}
