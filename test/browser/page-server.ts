import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LocalAgent } from "turnkeep";
import { createHandler } from "turnkeep/http";
import { toNodeHandler } from "turnkeep/node";
import { build } from "vite";

const HTML = `<!doctype html><meta charset="utf-8"><div id="root"></div><script type="module" src="/page.js"></script>`;

/** The page of the tests as one script. */
export async function bundlePage(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    mode: "production",
    oxc: { jsx: { development: false, runtime: "automatic" } },
    resolve: { conditions: ["@turnkeep/source", "browser", "import", "default"] },
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      write: false,
      lib: { entry: "test/browser/chat-page.tsx", formats: ["es"], fileName: "page" },
    },
  });
  const [bundle] = Array.isArray(built) ? built : [built];
  if (!bundle || !("output" in bundle)) throw new Error("The page was not built.");
  const [script] = bundle.output;
  return script.code;
}

export interface PageServer {
  readonly url: string;
  readonly agentUrl: string;
  readonly close: () => void;
}

/** Serves the page and its agent from one origin, as an application would. */
export async function servePage<Custom>(
  script: string,
  agent: LocalAgent<Custom>,
): Promise<PageServer> {
  const agents = toNodeHandler(createHandler([agent], { auth: "public" }));
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/agents")) return void agents(request, response);
    const isScript = request.url === "/page.js";
    const type = isScript ? "text/javascript" : "text/html";
    response.writeHead(200, { "content-type": type }).end(isScript ? script : HTML);
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    agentUrl: `${url}agents/${agent.name}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
