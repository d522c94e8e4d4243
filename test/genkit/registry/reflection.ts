import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Genkit } from "genkit";
import { onTestFinished, vi } from "vitest";

interface ReflectionServer {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** What Genkit's developer tools talk to. */
export interface Reflection {
  readonly get: (path: string) => Promise<Response>;
  readonly post: (path: string, body: object) => Promise<Response>;
}

// The package `genkit` shows it to nobody; in development it starts one by itself, on a port that a test could not choose.
const CORE = "@genkit-ai/core";

/** Starts Genkit's own reflection server for what this Genkit knows. It is gone when the test has ended. */
export async function startReflection(ai: Genkit): Promise<Reflection> {
  const { ReflectionServer: Server } = (await import(CORE)) as {
    readonly ReflectionServer: new (
      registry: Genkit["registry"],
      options: { readonly port: number },
    ) => ReflectionServer;
  };
  await leaveNotesElsewhere();
  const port = await freePort();
  const server = new Server(ai.registry, { port });
  await server.start();
  onTestFinished(() => server.stop());
  const url = `http://127.0.0.1:${port}`;
  return {
    get: (path) => fetch(url + path),
    post: (path, body) =>
      fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
  };
}

// It writes a note of itself into the project that it believes to be in.
async function leaveNotesElsewhere(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "turnkeep-reflection-"));
  await writeFile(join(folder, "package.json"), "{}");
  const cwd = vi.spyOn(process, "cwd").mockReturnValue(folder);
  onTestFinished(async () => {
    cwd.mockRestore();
    await rm(folder, { recursive: true });
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
