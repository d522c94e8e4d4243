import { setTimeout } from "node:timers/promises";
import type { LocalAgent } from "turnkeep";
import type { SeededRandom } from "../seeded-random.ts";
import type { ServerFleet } from "./server-fleet.ts";

/** An input that some server has answered as accepted. */
export interface AcceptedInput {
  readonly sessionId: string;
  readonly runId: string;
  readonly text: string;
}

export interface HttpClientOptions {
  readonly fleet: ServerFleet;
  /** Reads the store directly. */
  readonly reader: LocalAgent;
  readonly sessionId: string;
  readonly random: SeededRandom;
}

const DETACH_SHARE = 0.3;
const WAIT_SHARE = 0.5;
const ASK_AGAIN_SHARE = 0.2;
const TIMEOUT_MS = 5000;

/** Sends inputs to one session, to any server, and sends each again with the same request id until it is answered. */
export class HttpClient {
  readonly accepted: AcceptedInput[] = [];
  /** Answers that no client should get. */
  readonly violations: string[] = [];
  /** Answers and errors after which the input was sent again. */
  retries = 0;
  readonly #options: HttpClientOptions;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  /** Talks until the signal aborts. The last input is answered too. */
  async run(signal: AbortSignal): Promise<void> {
    const { sessionId, random, reader } = this.#options;
    for (let inputs = 1; !signal.aborted && this.violations.length === 0; inputs += 1) {
      const text = `${sessionId} says ${inputs}`;
      const detach = random.chance(DETACH_SHARE);
      const runId = await this.#send(text, detach);
      if (runId === undefined) return;
      this.accepted.push({ sessionId, runId, text });
      if (random.chance(ASK_AGAIN_SHARE)) await this.#askAgain(runId, text, detach);
      if (random.chance(WAIT_SHARE)) await reader.findOutput(runId, { signal }).catch(() => {});
    }
  }

  // The same request is the same run, wherever it is sent.
  async #askAgain(runId: string, text: string, detach: boolean): Promise<void> {
    const again = await this.#send(text, detach);
    if (again !== undefined && again !== runId) {
      this.violations.push(`"${text}" became two runs: ${runId} and ${again}`);
    }
  }

  async #send(text: string, detach: boolean): Promise<string | undefined> {
    const { sessionId, random, fleet } = this.#options;
    const body = JSON.stringify({
      input: { message: { role: "user", content: [{ text }] }, ...(detach && { detach }) },
      init: { sessionId },
      onBusy: "queue",
      requestId: text,
    });
    for (;;) {
      const url = fleet.pickUrl(random);
      const answer = url && (await post(`${url}/agents/clerk/runs`, body));
      if (answer) {
        const { status, data } = answer;
        if (status === 200 || status === 202) return data.runId;
        if (!isRetryable(answer)) {
          this.violations.push(`"${text}" was answered ${status} ${JSON.stringify(data)}`);
          return undefined;
        }
      }
      this.retries += 1;
      await setTimeout(random.between(5, 40));
    }
  }
}

interface HttpAnswer {
  readonly status: number;
  readonly data: { readonly runId?: string; readonly details?: { readonly retryable?: boolean } };
}

function isRetryable({ status, data }: HttpAnswer): boolean {
  return status === 503 || status === 429 || data.details?.retryable === true;
}

// `undefined` when the connection was cut before the answer.
async function post(url: string, body: string): Promise<HttpAnswer | undefined> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, data: (await response.json()) as HttpAnswer["data"] };
  } catch {
    return undefined;
  }
}
