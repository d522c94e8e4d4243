import type { Ports } from "../ledger/index.ts";
import { type Json, parseJson, TurnkeepError } from "../protocol/index.ts";
import type { HttpLimits } from "./http-limits.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The JSON of a request's body, given up as soon as it is too large or too slow.
 *
 * @throws TurnkeepError INVALID_ARGUMENT or RESOURCE_EXHAUSTED, with the reason HTTP has a code for.
 */
export async function readJson(
  request: Request,
  limits: HttpLimits,
  timers: Ports["timers"],
): Promise<Json> {
  checkType(request, "application/json");
  const text = await readText(request, limits, timers);
  return parseJson(text, { textBytes: limits.bodyBytes });
}

/** The body as text. */
export async function readText(
  request: Request,
  { bodyBytes, bodyMs }: HttpLimits,
  timers: Ports["timers"],
): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > bodyBytes) throw tooLarge(bodyBytes);
  if (request.body === null) return "";
  const reader = request.body.getReader();
  const late = new AbortController();
  const timeout = timers.sleep(bodyMs, { signal: late.signal }).then(() => tooSlow(bodyMs));
  timeout.catch(() => {});
  try {
    return decode(await Promise.race([readAll(reader, bodyBytes), timeout]));
  } finally {
    late.abort(null);
    // Whatever is left of it stays unread.
    reader.cancel().catch(() => {});
  }
}

/** @throws TurnkeepError INVALID_ARGUMENT: no page can make a browser send this type without asking first. */
export function checkType(request: Request, type: string): void {
  const given = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (given === type) return;
  throw new TurnkeepError("INVALID_ARGUMENT", `Send the body as ${type}.`, {
    reason: "UNSUPPORTED_MEDIA_TYPE",
  });
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  mostBytes: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(brokenOff);
    if (done) return joined(pieces, bytes);
    bytes += value.byteLength;
    if (bytes > mostBytes) throw tooLarge(mostBytes);
    pieces.push(value);
  }
}

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new TurnkeepError("INVALID_ARGUMENT", "The body is not UTF-8.");
  }
}

function brokenOff(cause: unknown): never {
  throw new TurnkeepError("CANCELLED", "The body broke off.", { cause });
}

function tooLarge(bytes: number): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `A body has at most ${bytes} bytes.`, {
    reason: "BODY_TOO_LARGE",
  });
}

function tooSlow(milliseconds: number): never {
  throw new TurnkeepError("DEADLINE_EXCEEDED", `A body arrives within ${milliseconds} ms.`, {
    reason: "BODY_TOO_SLOW",
  });
}
