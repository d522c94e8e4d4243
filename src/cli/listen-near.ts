import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { TurnkeepError } from "../protocol/index.ts";

const MOST_TRIED = 50;

/**
 * Listens at the port, or at the next one that is free, and tells which.
 *
 * @throws TurnkeepError UNAVAILABLE when none is; the system's error when it may not listen there.
 */
export async function listenNear(
  server: Server,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<number> {
  for (let tried = port; tried < Math.min(port + MOST_TRIED, 65_536); tried += 1) {
    // One after the other: the first that is free is the one.
    // oxlint-disable-next-line no-await-in-loop
    if (await listens(server, { port: tried, host })) return (server.address() as AddressInfo).port;
  }
  throw new TurnkeepError("UNAVAILABLE", `No port from ${port} on is free. Name one with --port.`);
}

async function listens(
  server: Server,
  place: { readonly port: number; readonly host: string },
): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    };
    server.once("error", fail);
    server.listen(place, () => {
      server.off("error", fail);
      resolve(true);
    });
  });
}
