import { ANSWER_LIMITS, TurnkeepError } from "../protocol/index.ts";
import { errorFrom, parseAnswer, tooLong } from "./answer.ts";
import type { ClientPorts } from "./client-ports.ts";
import { Line } from "./line.ts";
import { Patience, type Reconnect } from "./patience.ts";

export type ClientHeaders = Readonly<Record<string, string>>;

export interface TransportOptions {
  readonly url: string;
  readonly headers?: ClientHeaders | (() => ClientHeaders | Promise<ClientHeaders>) | undefined;
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  readonly ports: ClientPorts;
  readonly attempts: number;
  readonly onReconnect?: ((reconnect: Reconnect) => void) | undefined;
}

export interface ClientRequest {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly headers?: ClientHeaders;
  readonly json?: unknown;
  readonly text?: string;
  readonly signal?: AbortSignal | undefined;
  /** An HTTP code that is an answer here and no error. */
  readonly allowed?: number;
  /** How long the server may say nothing at all. As long as it likes, unless told. */
  readonly silenceMs?: number | undefined;
  /** Whether it is safe to send it again when nobody knows if it arrived. It is, unless told. */
  readonly isRepeatable?: boolean;
}

// Our servers say something at least every 15 seconds, and answer within 30.
export const SILENCE_MS = 45_000;

/** One server, as a client talks to it. */
export class Transport {
  readonly options: TransportOptions;

  constructor(options: TransportOptions) {
    this.options = { ...options, url: options.url.replace(/\/+$/, "") };
  }

  patience(isRepeatable?: boolean): Patience {
    return new Patience(this.options, isRepeatable);
  }

  /** One try. @throws TurnkeepError for what the server refuses; whatever `fetch` fails with. */
  async open(path: string, request: ClientRequest): Promise<Line> {
    const { url, headers, fetch: send = fetch, ports } = this.options;
    const { method = "GET", json, text = JSON.stringify(json), allowed } = request;
    const line = new Line(ports, request);
    try {
      const type = json === undefined ? {} : { "content-type": "application/json" };
      const own = typeof headers === "function" ? await headers() : headers;
      const response = await send(url + path, {
        method,
        headers: { ...own, ...type, ...request.headers },
        // What the headers prove is for this server and no other.
        redirect: "manual",
        signal: line.signal,
        ...(text !== undefined && { body: text }),
      });
      line.take(response);
      if (!response.ok && response.status !== allowed) throw await refusal(response, line);
      return line;
    } catch (error) {
      line.end();
      throw error;
    }
  }

  /** The JSON that a request is answered with, tried again while that may help. */
  async json(path: string, request: ClientRequest = {}): Promise<unknown> {
    const patience = this.patience(request.isRepeatable);
    for (;;) {
      try {
        const line = await this.open(path, { silenceMs: SILENCE_MS, ...request });
        return parseAnswer(await readText(line));
      } catch (error) {
        await patience.pause(error, request.signal);
      }
    }
  }
}

/** @throws TurnkeepError RESOURCE_EXHAUSTED when there is no end to it. */
async function readText(line: Line): Promise<string> {
  const utf8 = new TextDecoder();
  let text = "";
  for await (const piece of line.pieces()) {
    text += utf8.decode(piece, { stream: true });
    if (text.length > ANSWER_LIMITS.textBytes) throw tooLong();
  }
  return text + utf8.decode();
}

async function refusal(response: Response, line: Line): Promise<TurnkeepError> {
  const { status, type, headers } = response;
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) return redirected();
  const seconds = Number(headers.get("retry-after"));
  // What stands in front of the server need not answer in JSON.
  const body = await readText(line)
    .then(parseAnswer)
    .catch(() => undefined);
  return errorFrom(body, status, seconds * 1000);
}

function redirected(): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    "Redirects are not followed. Use the final address.",
  );
}
