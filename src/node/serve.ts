import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type AnyAgent, createHandler, type HandlerOptions } from "../http/index.ts";
import { toNodeHandler } from "./to-node-handler.ts";

export interface ServeOptions extends HandlerOptions {
  /** Any free one, unless told. */
  readonly port?: number;
  /** The address to listen at: only this machine's own, unless told. */
  readonly hostname?: string;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, gives runs this long to end and hands the rest over to other processes. */
  readonly close: (options?: { readonly handOverMs?: number }) => Promise<void>;
}

const HEADER_BYTES = 16_384;
const HEADER_MS = 10_000;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Serves agents over HTTP with Node's own server.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when nobody decided who may call; the system's error when the port is taken.
 */
export async function serve(
  agents: readonly AnyAgent[],
  options: ServeOptions,
): Promise<RunningServer> {
  const { port = 0, hostname = "127.0.0.1", ...rest } = options;
  let isOpen = true;
  const handler = createHandler(agents, {
    // A page that makes its own name lead here is refused, unless the server is meant for the world.
    ...(LOOPBACK.includes(hostname) && { hosts: LOOPBACK }),
    ...rest,
    isReady: async () => isOpen && ((await rest.isReady?.()) ?? true),
  });
  const answer = toNodeHandler(handler);
  const server = createServer(
    { maxHeaderSize: HEADER_BYTES, headersTimeout: HEADER_MS, requestTimeout: 0 },
    (incoming, outgoing) => void answer(incoming, outgoing),
  );
  await listen(server, port, hostname);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${address.port}`,
    port: address.port,
    close: async ({ handOverMs = 0 } = {}) => {
      isOpen = false;
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.all(agents.map((agent) => agent.close({ handOverMs })));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, port: number, hostname: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
