import process from "node:process";
import type { ServableAgents } from "../http/index.ts";
import { createStudio, type Studio, type StudioOptions } from "./create-studio.ts";
import { PackagedFiles } from "./packaged-files.ts";

export { createStudio, type Studio, type StudioOptions } from "./create-studio.ts";
export type { StudioFiles } from "./studio-files.ts";

/**
 * The Studio, to be mounted into any server: a page that shows agents, sessions, runs and traces, and talks to the agents.
 *
 * @throws TurnkeepError FAILED_PRECONDITION in production unless allowed twice, INVALID_ARGUMENT when two agents have one name.
 */
export function studio(agents: ServableAgents, options: Partial<StudioOptions> = {}): Studio {
  const environment = process.env["NODE_ENV"];
  return createStudio(agents, { environment, ...options, files: new PackagedFiles() });
}
