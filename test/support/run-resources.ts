import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const ADDRESS = "TURNKEEP_RUN_URL";

/** What a run has for its test files, and starts when the first of them asks. */
export type ResourceName = "postgres" | "redis" | "browser" | "build" | "package";

/** Makes a resource, and says what files need to know of it: an address, for the most part. */
export type Resources = Readonly<Record<ResourceName, (worker: string) => Promise<string>>>;

// These are one for each worker, whose files come one after the other; the others are one for all.
const ONE_EACH: ReadonlySet<string> = new Set<ResourceName>(["postgres"]);

/** Answers the files of a run, which are in processes of their own. */
export class ResourceServer {
  readonly #resources: Resources;
  readonly #made = new Map<string, Promise<string>>();
  readonly #server: Server;

  constructor(resources: Resources) {
    this.#resources = resources;
    this.#server = createServer(({ url = "" }, response) => {
      const [, name = "", worker = ""] = url.split("/");
      this.#get(name as ResourceName, worker).then(
        (told) => response.end(told),
        (error: unknown) =>
          response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
      );
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

  #get(name: ResourceName, worker: string): Promise<string> {
    const key = ONE_EACH.has(name) ? `${name} ${worker}` : name;
    const made = this.#made.get(key) ?? this.#resources[name](worker);
    this.#made.set(key, made);
    return made;
  }
}

/** Whether a run of the tests is there to ask; commands have to do without. */
export function isTestRun(): boolean {
  return process.env[ADDRESS] !== undefined;
}

/** Asks the run for a resource. @throws when it cannot be had. */
export async function askRun(name: ResourceName): Promise<string> {
  const worker = process.env["VITEST_POOL_ID"] ?? "0";
  const response = await fetch(`${process.env[ADDRESS]}/${name}/${worker}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
