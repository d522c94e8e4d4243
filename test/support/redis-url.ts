import { askRun } from "./run-resources.ts";

/** Where the run's Redis is. Empty when the run goes on without one, of which it has said so loudly. */
export const redisUrl: string = await askRun("redis");
