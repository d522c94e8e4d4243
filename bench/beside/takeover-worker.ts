import { join } from "node:path";
import { defineCustomAgent, type LocalAgent } from "turnkeep";
import { openSqliteStore } from "turnkeep/stores/sqlite";

export interface TakeoverPlace {
  readonly folder: string;
  readonly leaseMs: number;
}

/** An agent whose turns are this work, on a file that several processes share. */
export async function openWorker(
  { folder, leaseMs }: TakeoverPlace,
  work: () => Promise<void>,
): Promise<LocalAgent> {
  const store = await openSqliteStore(join(folder, "sessions.db"));
  return defineCustomAgent({ name: "worker", store, limits: { leaseMs } }, async ({ session }) => {
    await session.run(work);
  });
}
