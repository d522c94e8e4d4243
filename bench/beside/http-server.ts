import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export interface Costs {
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** The most since it was asked last. */
  readonly mostRssBytes: number;
}

/** A contender's server in a process of its own. */
export class BenchServer {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(contender: string): Promise<BenchServer> {
    const file = new URL("http-server-process.ts", import.meta.url);
    const child = fork(file, [contender], { stdio: "inherit" });
    const failed = once(child, "exit").then(([code]) => {
      throw new Error(`The server of ${contender} ended with ${code}.`);
    });
    const [{ url }] = (await Promise.race([once(child, "message"), failed])) as [{ url: string }];
    return new BenchServer(child, url);
  }

  async costs(): Promise<Costs> {
    this.#child.send("costs");
    const [costs] = (await once(this.#child, "message")) as [Costs];
    return costs;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.send("stop");
    await exited;
  }
}
