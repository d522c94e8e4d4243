import { TurnkeepError } from "../turnkeep-error.ts";

/** One frame of an SSE stream. A frame without `data` reaches the other side but is no message there. */
export type SseFrame = {
  /** Letters, digits, dots, dashes and underscores. */
  readonly id?: string;
  /** Letters, digits, dashes and underscores. */
  readonly event?: string;
  /** Any text. Each CRLF, CR or LF in it ends a line, and is read back as LF. */
  readonly data?: string;
  /** How long to wait before connecting again, in milliseconds. */
  readonly retry?: number;
  /** Any text; readers pass over it. */
  readonly comment?: string;
};

const ID = /^[A-Za-z0-9._~-]+$/;
const EVENT = /^[A-Za-z0-9_-]+$/;
const LINE_BREAK = /\r\n|\r|\n/;

/**
 * A frame as text, with LF only. With nothing but one line of data it is exactly `data: …` and an empty line.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for an id, event or retry that could break out of its line, or no field at all.
 */
export function encodeSse(frame: SseFrame): string {
  const lines = [
    ...textLines("", frame.comment),
    ...checkedLine("event", frame.event, EVENT),
    ...checkedLine("id", frame.id, ID),
    ...retryLine(frame.retry),
    ...textLines("data", frame.data),
  ];
  if (lines.length === 0) refuseFrame("an SSE frame must have at least one field");
  return `${lines.join("\n")}\n\n`;
}

function textLines(field: string, text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  if (typeof text !== "string") refuseFrame("SSE data and comments must be strings");
  // Most are JSON, which has none.
  if (!text.includes("\n") && !text.includes("\r")) return [`${field}: ${text}`];
  return text.split(LINE_BREAK).map((line) => `${field}: ${line}`);
}

function checkedLine(field: string, text: string | undefined, allowed: RegExp): readonly string[] {
  if (text === undefined) return [];
  if (typeof text !== "string" || !allowed.test(text)) {
    refuseFrame(`the SSE field ${field} must match ${allowed.source}`);
  }
  return [`${field}: ${text}`];
}

function retryLine(retry: number | undefined): readonly string[] {
  if (retry === undefined) return [];
  if (!Number.isSafeInteger(retry) || retry < 0) {
    refuseFrame("the SSE field retry must be a whole number from zero up");
  }
  return [`retry: ${retry}`];
}

function refuseFrame(why: string): never {
  throw new TurnkeepError("INVALID_ARGUMENT", `The frame was not encoded: ${why}.`);
}
