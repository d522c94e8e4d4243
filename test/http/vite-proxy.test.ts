import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer, type ProxyOptions } from "vite";
import { describe, expect, onTestFinished, test } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { scratchDirectory } from "../agent/life/stores.ts";
import { rawRequest } from "./raw-request.ts";
import { served, turn } from "./serving.ts";

/** How the page's server passes calls on, whether the server lists the page's origin, and what the page gets. */
const PROXIES: readonly (readonly [
  string,
  (url: string) => string | ProxyOptions,
  boolean,
  number,
])[] = [
  ["a target alone", (target) => target, false, 403],
  ["a target alone", (target) => target, true, 200],
  ["changeOrigin: true", (target) => ({ target, changeOrigin: true }), false, 403],
  ["changeOrigin: true", (target) => ({ target, changeOrigin: true }), true, 200],
  ["changeOrigin: false", (target) => ({ target, changeOrigin: false }), false, 200],
  ["changeOrigin: false", (target) => ({ target, changeOrigin: false }), true, 200],
];

describe.each(PROXIES)("a page behind Vite's proxy with %s", (_, settings, isListed, expected) => {
  test(`gets ${expected} where its origin is ${isListed ? "" : "not "}listed`, async () => {
    const { port, proxyTo } = await openPage();
    const origin = `http://localhost:${port}`;
    const { url } = await served([echoAgent()], { origins: isListed ? [origin] : [] });
    await proxyTo({ "/agents": settings(url) });
    const { status, body } = await rawRequest(port, "/agents/echo", {
      method: "POST",
      headers: { host: `localhost:${port}`, origin, "content-type": "application/json" },
      body: JSON.stringify(turn("hi")),
    });
    expect(status).toBe(expected);
    if (expected === 403) expect(body.message).toContain(`turnkeep serve --origin ${origin}`);
    else expect(body.result.message.content).toEqual([{ text: "HI" }]);
  });
});

/** A page's own server, whose calls are passed on as soon as it is known where to. */
async function openPage(): Promise<{
  readonly port: number;
  readonly proxyTo: (proxy: Record<string, string | ProxyOptions>) => Promise<void>;
}> {
  const server = createHttpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const proxyTo = async (proxy: Record<string, string | ProxyOptions>): Promise<void> => {
    const vite = await createServer({
      root: scratchDirectory(),
      configFile: false,
      logLevel: "silent",
      server: { middlewareMode: true, ws: false, proxy },
    });
    onTestFinished(() => vite.close());
    server.on("request", vite.middlewares);
  };
  return { port: (server.address() as AddressInfo).port, proxyTo };
}
