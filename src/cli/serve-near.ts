import type { ServableAgents } from "../http/index.ts";
import { type RunningServer, serve, type ServeOptions } from "../node/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { portFrom } from "./read-arguments.ts";

const MOST_TRIED = 50;

export interface NearOptions extends Omit<ServeOptions, "port"> {
  /** As it was asked for; if it was not, any free one from `usual` on will do. */
  readonly asked: string | undefined;
  readonly usual: number;
}

/**
 * Serves agents at the port that was asked for, or at the first free one from the usual one on.
 *
 * @throws TurnkeepError UNAVAILABLE when it is taken, or all are; INVALID_ARGUMENT when it is no port.
 */
export async function serveNear(
  agents: ServableAgents,
  { asked, usual, ...options }: NearOptions,
): Promise<RunningServer> {
  const first = asked === undefined ? usual : portFrom(asked);
  const tries = asked === undefined ? MOST_TRIED : 1;
  for (let port = first; port < first + tries; port += 1) {
    // One after the other: the first that is free is the one.
    // oxlint-disable-next-line no-await-in-loop
    const server = await serve(agents, { ...options, port }).catch(unlessTaken);
    if (server) return server;
  }
  throw new TurnkeepError("UNAVAILABLE", `Port ${first} is taken. Name another with --port.`);
}

function unlessTaken(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EADDRINUSE") throw error;
}
