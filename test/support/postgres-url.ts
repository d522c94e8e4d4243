import { askRun } from "./run-resources.ts";

/** Where the run's Postgres is. Empty when the run goes on without one, of which it has said so loudly. */
export const postgresUrl: string = await askRun("postgres");
