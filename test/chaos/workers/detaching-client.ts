import { setTimeout } from "node:timers/promises";
import { type LocalAgent, TurnkeepError } from "turnkeep";
import type { SeededRandom } from "../seeded-random.ts";

/** A turn that a client was told is accepted. */
export interface AcceptedTurn {
  readonly sessionId: string;
  readonly snapshotId: string;
  readonly text: string;
}

const WAIT_SHARE = 0.6;
const MOST_PATIENCE_MS = 20_000;

/** Detaches turns in one session, impatiently, and remembers which were accepted. */
export class DetachingClient {
  readonly turns: AcceptedTurn[] = [];
  readonly #agent: LocalAgent;
  readonly #sessionId: string;
  readonly #name: string;
  readonly #random: SeededRandom;

  constructor(
    agent: LocalAgent,
    {
      sessionId,
      name,
      random,
    }: { readonly sessionId: string; readonly name: string; readonly random: SeededRandom },
  ) {
    this.#agent = agent;
    this.#sessionId = sessionId;
    this.#name = name;
    this.#random = random;
  }

  /** Talks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (let inputs = 1; !signal.aborted; inputs += 1) {
      const text = `${this.#name} says ${inputs}`;
      const snapshotId = await this.#detach(text, signal);
      if (snapshotId === undefined) continue;
      this.turns.push({ sessionId: this.#sessionId, snapshotId, text });
      if (this.#random.chance(WAIT_SHARE)) {
        await this.#agent.waitFor(snapshotId, { signal }).catch(() => {});
      }
    }
  }

  async #detach(text: string, signal: AbortSignal): Promise<string | undefined> {
    const begunAt = Date.now();
    const input = { message: { role: "user" as const, content: [{ text }] } };
    // Sending it again is harmless: it is the same request.
    const call = { sessionId: this.#sessionId, onBusy: "queue", requestId: text } as const;
    for (;;) {
      try {
        return (await this.#agent.detach(input, call)).snapshotId;
      } catch (error) {
        const earlier = earlierTurn(error);
        if (earlier !== undefined) return earlier;
        const isHopeless = Date.now() - begunAt > MOST_PATIENCE_MS;
        if (!TurnkeepError.is(error) || !error.retryable || (isHopeless && !signal.aborted))
          throw error;
        if (signal.aborted && error.reason === "QUEUE_FULL") return undefined;
        await setTimeout(this.#random.between(20, 80));
      }
    }
  }
}

function earlierTurn(error: unknown): string | undefined {
  const isRepeated = TurnkeepError.is(error) && error.status === "ALREADY_EXISTS";
  const id = isRepeated ? error.details["snapshotId"] : undefined;
  return typeof id === "string" ? id : undefined;
}
