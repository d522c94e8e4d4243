import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "../../chaos/seeded-random.ts";
import { framesOf } from "../frames.ts";

export interface Reading {
  /** Every event's number, in the order it was seen. */
  readonly seqs: readonly number[];
  /** How often it left or was left. */
  readonly breaks: number;
  readonly result: unknown;
}

/** Reads a run until its result has come, leaving in mid-stream and coming back where it left, whatever becomes of the server meanwhile. */
export class RestlessReader {
  readonly #url: string;
  readonly #random: SeededRandom;
  readonly #seqs: number[] = [];
  #last = "";

  constructor(url: string, random: SeededRandom) {
    this.#url = url;
    this.#random = random;
  }

  /** How many events it has seen so far. */
  get count(): number {
    return this.#seqs.length;
  }

  async read(): Promise<Reading> {
    for (let breaks = 0; ; breaks += 1) {
      // It comes back after whatever went wrong, as if nothing had happened.
      const result = await this.#visit().catch(() => undefined);
      if (result !== undefined) return { seqs: this.#seqs, breaks, result };
      await sleep(this.#random.below(40));
    }
  }

  // The result, when it stayed for it.
  async #visit(): Promise<unknown> {
    const leave = new AbortController();
    const headers: Record<string, string> =
      this.#last === "" ? {} : { "last-event-id": this.#last };
    const response = await fetch(this.#url, { headers, signal: leave.signal });
    if (response.status !== 200) throw new Error(`The server said ${response.status}.`);
    const enough = this.count + 1 + this.#random.below(160);
    for await (const { event, id = "", data } of framesOf(response)) {
      if (event === "result") return data;
      if (event === "update") this.#note(id, data.seq);
      if (this.count === enough) break;
    }
    leave.abort();
    return undefined;
  }

  #note(id: string, seq: number): void {
    this.#seqs.push(seq);
    this.#last = id;
  }
}
