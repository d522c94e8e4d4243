import { join } from "node:path";
import { defineCustomAgent, type LocalAgent } from "turnkeep";
import { openSqliteStore } from "turnkeep/stores/sqlite";

export interface TakeoverPlace {
  readonly folder: string;
  readonly leaseMs: number;
}

/** An agent whose turns say when they begin; the first worker never gets any further. */
export async function openWorker(
  { folder, leaseMs }: TakeoverPlace,
  work: () => Promise<void>,
): Promise<LocalAgent> {
  const store = await openSqliteStore(join(folder, "sessions.db"));
  return defineCustomAgent({ name: "worker", store, limits: { leaseMs } }, async ({ session }) => {
    await session.run(work);
  });
}

// The worker that is going to be killed.
if (process.send && process.argv[2]) {
  const agent = await openWorker(JSON.parse(process.argv[2]) as TakeoverPlace, async () => {
    process.send?.("begun");
    await new Promise(() => {});
  });
  agent.startWorker();
  process.on("disconnect", () => process.exit(0));
  await agent.detach({ message: { role: "user", content: [{ text: "work" }] } });
}
