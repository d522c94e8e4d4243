import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const ADDRESS = "TURNKEEP_RUN_URL";

/** What a run has once, for all of its test files. */
export type ResourceName = "postgres" | "redis" | "browser" | "build";

/** Makes a resource when the first file asks for it, and says what they need to know of it: an address, for the most part. */
export type Resources = Readonly<Record<ResourceName, () => Promise<string>>>;

/** Answers the files of a run, which are in processes of their own. */
export class ResourceServer {
  readonly #resources: Resources;
  readonly #made = new Map<string, Promise<string>>();
  readonly #server: Server;

  constructor(resources: Resources) {
    this.#resources = resources;
    this.#server = createServer(async ({ url = "" }, response) => {
      try {
        response.end(await this.#get(url.slice(1)));
      } catch (error) {
        response.writeHead(500).end(error instanceof Error ? error.message : String(error));
      }
    });
  }

  /** From now on the processes that are started can ask. */
  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const { port } = this.#server.address() as AddressInfo;
    process.env[ADDRESS] = `http://127.0.0.1:${port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #get(name: string): Promise<string> {
    const made = this.#made.get(name) ?? this.#resources[name as ResourceName]();
    this.#made.set(name, made);
    return made;
  }
}

/** Whether a run of the tests is there to ask; commands have to do without. */
export function isTestRun(): boolean {
  return process.env[ADDRESS] !== undefined;
}

/** Asks the run for a resource. @throws when it cannot be had. */
export async function askRun(name: ResourceName): Promise<string> {
  const response = await fetch(`${process.env[ADDRESS]}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
