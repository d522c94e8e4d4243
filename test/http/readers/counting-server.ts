import { type StartedChild, startChild } from "../../support/start-child.ts";
import type { CountingOrder } from "./counting-server-process.ts";
import { memoryOf } from "./process-memory.ts";
import { waitFor } from "./waiting-for.ts";

const FILE = new URL("counting-server-process.ts", import.meta.url);
const START_MS = 120_000;

export interface Life {
  /** When it was ready. */
  readonly beforeBytes: number;
  peakBytes: number;
}

/** The server of the agent that counts, through as many lives as it is given. */
export class CountingServer {
  /** The memory of each life, where the system tells. */
  readonly lives: Life[] = [];
  readonly #order: CountingOrder;
  readonly #isBuilt: boolean;
  #port = 0;
  #child: StartedChild | undefined;

  constructor(order: Omit<CountingOrder, "port">, isBuilt: boolean) {
    this.#order = { ...order, port: 0 };
    this.#isBuilt = isBuilt;
  }

  get agentUrl(): string {
    return `http://127.0.0.1:${this.#port}/agents/counter`;
  }

  /** Always at the same address, so that readers find it again. In its last life it says all it has to. */
  async start({ isLast }: { readonly isLast: boolean }): Promise<void> {
    const holdAt = isLast ? undefined : this.#order.holdAt;
    const child = startChild(
      FILE,
      { ...this.#order, port: this.#port, holdAt },
      { isBuilt: this.#isBuilt },
    );
    this.#child = child;
    await waitFor(() => child.lines.includes("ready"), START_MS);
    this.#port = Number(child.lines[0]);
    const memory = memoryOf(child.pid);
    if (memory) this.lives.push({ beforeBytes: memory.nowBytes, peakBytes: memory.nowBytes });
  }

  /** As if the power had gone. */
  async kill(): Promise<void> {
    if (this.#child === undefined) return;
    const life = this.lives.at(-1);
    if (life) life.peakBytes = memoryOf(this.#child.pid)?.peakBytes ?? life.peakBytes;
    this.#child.kill("SIGKILL");
    await this.#child.ended;
  }
}
