import { type RemoteAgent, remoteAgent } from "turnkeep/client";
import type { SeededRandom } from "../../chaos/seeded-random.ts";
import { type Reader, Reading } from "./reading.ts";
import { patienceOf } from "./restless-reader.ts";

// A server that starts anew is away for longer than a few tries may take.
const ATTEMPTS = 50;

/** Reads a run through our own client, over connections that break in mid-stream; the client comes back by itself. */
export class RestlessClient implements Reader {
  readonly reading: Reading = new Reading();
  readonly #runId: string;
  readonly #random: SeededRandom;
  readonly #agent: RemoteAgent;
  #connection = new AbortController();
  #enough = 0;
  // Nobody lost what has not begun.
  #hasLeft = true;

  constructor(agentUrl: string, runId: string, random: SeededRandom) {
    this.#runId = runId;
    this.#random = random;
    this.#agent = remoteAgent({
      url: agentUrl,
      attempts: ATTEMPTS,
      fetch: (url, init) => this.#connect(url, init),
    });
  }

  async read(): Promise<void> {
    for await (const update of this.#agent.attach(this.#runId)) {
      this.reading.note(update);
      if (this.reading.seqs.length === this.#enough) this.#leave();
    }
  }

  #leave(): void {
    this.#hasLeft = true;
    this.reading.leaves += 1;
    this.#connection.abort();
  }

  #connect(url: string, init: RequestInit): Promise<Response> {
    this.#connection = new AbortController();
    if (!this.#hasLeft) this.reading.losses += 1;
    this.#hasLeft = false;
    this.#enough = this.reading.seqs.length + patienceOf(this.#random);
    const signals = [this.#connection.signal, ...(init.signal ? [init.signal] : [])];
    return fetch(url, { ...init, signal: AbortSignal.any(signals) });
  }
}
