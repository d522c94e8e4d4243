// A process that reads a run's events, leaving and coming back at random, and prints what it saw. Run from source, through tsx.
import { setTimeout as sleep } from "node:timers/promises";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { chooseSeed, SeededRandom } from "../../chaos/seeded-random.ts";
import { chattyAgent } from "./chatty-agent.ts";
import { readInPieces } from "./read-in-pieces.ts";

const { database, runId } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly database: string;
  readonly runId: string;
};
const agent = chattyAgent({ store: await openSqliteStore(database) });
process.stdout.write("ready\n");
while (!(await hasBegun())) await sleep(5);
const random = new SeededRandom(chooseSeed(process.env["TURNKEEP_SEED"]));
const { seqs, visits } = await readInPieces(agent, runId, (bound) => random.below(bound));
process.stdout.write(`${JSON.stringify({ seqs, visits })}\n`);
process.exit();

async function hasBegun(): Promise<boolean> {
  try {
    for await (const _ of agent.attach(runId)) break;
    return true;
  } catch {
    return false;
  }
}
