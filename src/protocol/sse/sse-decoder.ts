import { LONGEST_SSE_EVENT, type LimitOptions } from "../limits.ts";
import { TurnkeepError } from "../turnkeep-error.ts";

/** One message of an SSE stream. */
export type SseMessage = {
  readonly event: string;
  readonly data: string;
  /** The last id the stream named, on this message or before it. */
  readonly id?: string;
  /** The last time to wait before connecting again that the stream named, in milliseconds. */
  readonly retry?: number;
};

/** How a stream is read. */
export type SseOptions = {
  /** `sseEventLength` counts the lines of one event together, line breaks aside. */
  readonly limits?: LimitOptions;
};

const NO_LIMIT = "The limit sseEventLength must be above 0.";
const LINE_BREAK = /\r\n|\r|\n/g;
const DIGITS = /^[0-9]+$/;

/**
 * Reads an SSE stream piece by piece, wherever the pieces are cut. Comments are passed over. A line named `error` reads as
 * data of an event `error`: Genkit's servers end a failed stream with one, where the standard would drop it.
 */
export class SseDecoder {
  readonly #maxLength: number;
  readonly #text = new TextDecoder();
  #line = "";
  #length = 0;
  #skipLineFeed = false;
  #event = "";
  #data = "";
  #hasData = false;
  #id: string | undefined;
  #retry: number | undefined;

  constructor(options: SseOptions = {}) {
    const { sseEventLength = LONGEST_SSE_EVENT } = options.limits ?? {};
    if (!(sseEventLength > 0)) throw new TurnkeepError("INVALID_ARGUMENT", NO_LIMIT);
    this.#maxLength = sseEventLength;
  }

  /**
   * Takes the next bytes and gives the messages they complete.
   *
   * @throws TurnkeepError RESOURCE_EXHAUSTED, LIMIT_EXCEEDED when an event grows too long. The stream is of no use then.
   */
  push(bytes: Uint8Array): SseMessage[] {
    const messages: SseMessage[] = [];
    let text = this.#text.decode(bytes, { stream: true });
    if (this.#skipLineFeed && text !== "") {
      this.#skipLineFeed = false;
      if (text.startsWith("\n")) text = text.slice(1);
    }
    let start = 0;
    for (const lineBreak of text.matchAll(LINE_BREAK)) {
      this.#grow(text.slice(start, lineBreak.index));
      this.#takeLine(messages);
      start = lineBreak.index + lineBreak[0].length;
    }
    // A CR ends its line at once. Whether an LF belongs to it shows in the next piece.
    if (text.endsWith("\r")) this.#skipLineFeed = true;
    this.#grow(text.slice(start));
    return messages;
  }

  /** The stream is over. A message that lacks its empty line is dropped; answers whether there was none such. */
  end(): boolean {
    const rest = this.#line + this.#text.decode();
    const isClean = rest === "" && !this.#hasData;
    this.#line = "";
    this.#clearMessage();
    return isClean;
  }

  #grow(text: string): void {
    this.#line += text;
    this.#length += text.length;
    if (this.#length <= this.#maxLength) return;
    throw new TurnkeepError(
      "RESOURCE_EXHAUSTED",
      `The stream holds an event longer than ${this.#maxLength} characters.`,
      { reason: "LIMIT_EXCEEDED", details: { limit: this.#maxLength } },
    );
  }

  #takeLine(messages: SseMessage[]): void {
    const line = this.#line;
    this.#line = "";
    if (line === "") {
      if (this.#hasData) messages.push(this.#message());
      this.#clearMessage();
      return;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1);
    this.#takeField(field, value.startsWith(" ") ? value.slice(1) : value);
  }

  #takeField(field: string, value: string): void {
    switch (field) {
      case "data":
        return this.#takeData(value);
      case "error":
        this.#event = "error";
        return this.#takeData(value);
      case "event":
        this.#event = value;
        return undefined;
      case "id":
        if (!value.includes("\0")) this.#id = value;
        return undefined;
      case "retry":
        if (DIGITS.test(value)) this.#retry = Number(value);
        return undefined;
      default:
        return undefined;
    }
  }

  #takeData(value: string): void {
    this.#data = this.#hasData ? `${this.#data}\n${value}` : value;
    this.#hasData = true;
  }

  #message(): SseMessage {
    return {
      event: this.#event === "" ? "message" : this.#event,
      data: this.#data,
      ...(this.#id === undefined || this.#id === "" ? {} : { id: this.#id }),
      ...(this.#retry === undefined ? {} : { retry: this.#retry }),
    };
  }

  #clearMessage(): void {
    this.#length = 0;
    this.#event = "";
    this.#data = "";
    this.#hasData = false;
  }
}
