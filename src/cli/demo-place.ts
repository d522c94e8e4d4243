import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { AnyLocalAgent, SessionStore } from "../agent/index.ts";
import { defineDemoAgents, findModel } from "../demo/index.ts";
import { openSqliteStore } from "../stores/sqlite/index.ts";

const FOLDER = ".turnkeep";

export interface DemoPlace {
  readonly agents: readonly AnyLocalAgent[];
  readonly store: SessionStore;
  /** Which model answers, in a few words. */
  readonly model: string;
}

/** The demo's agents, over a file in the folder one stands in. */
export async function openDemo({
  isScripted = false,
}: { readonly isScripted?: boolean } = {}): Promise<DemoPlace> {
  await mkdir(FOLDER, { recursive: true, mode: 0o700 });
  // Conversations do not belong into a repository.
  await writeFile(join(FOLDER, ".gitignore"), "*\n");
  const store = await openSqliteStore(`${FOLDER}/demo.db`);
  const { model, hint } = await findModel(isScripted ? {} : process.env);
  return {
    agents: defineDemoAgents({ store, ...(model && { model }) }),
    store,
    model: `${model?.name ?? "scripted"} (${hint})`,
  };
}
