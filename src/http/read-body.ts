import type { Ports } from "../ledger/index.ts";
import { type Json, parseJson, TurnkeepError } from "../protocol/index.ts";
import type { HttpLimits } from "./http-limits.ts";
import type { IncomingRequest, RequestHead } from "./incoming-request.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The JSON of a request's body, given up as soon as it is too large or too slow.
 *
 * @throws TurnkeepError INVALID_ARGUMENT or RESOURCE_EXHAUSTED, with the reason HTTP has a code for.
 */
export async function readJson(
  request: IncomingRequest,
  limits: HttpLimits,
  timers: Ports["timers"],
): Promise<Json> {
  checkType(request, "application/json");
  const text = await readText(request, limits, timers);
  return parseJson(text, { textBytes: limits.bodyBytes });
}

/** The body as text. */
export async function readText(
  request: IncomingRequest,
  { bodyBytes, bodyMs }: HttpLimits,
  timers: Ports["timers"],
): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > bodyBytes) throw tooLarge(bodyBytes);
  let callOff: (() => void) | undefined;
  try {
    const bytes = await new Promise<Uint8Array | undefined>((resolve, reject) => {
      callOff = timers.after(bodyMs, () => reject(tooSlow(bodyMs)));
      request.readBytes(bodyBytes).then(resolve, (cause) => reject(brokenOff(cause)));
    });
    if (bytes === undefined) throw tooLarge(bodyBytes);
    return decode(bytes);
  } finally {
    callOff?.();
    request.leaveBody();
  }
}

/**
 * Lets only bodies of this type in: no page can make a browser send one of JSON without asking first.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for any other.
 */
export function checkType(request: RequestHead, type: string): void {
  const given = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (given === type) return;
  throw new TurnkeepError("INVALID_ARGUMENT", `Send the body as ${type}.`, {
    reason: "UNSUPPORTED_MEDIA_TYPE",
  });
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new TurnkeepError("INVALID_ARGUMENT", "The body is not UTF-8.");
  }
}

function brokenOff(cause: unknown): TurnkeepError {
  return new TurnkeepError("CANCELLED", "The body broke off.", { cause });
}

function tooLarge(bytes: number): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `A body has at most ${bytes} bytes.`, {
    reason: "BODY_TOO_LARGE",
  });
}

function tooSlow(milliseconds: number): TurnkeepError {
  return new TurnkeepError("DEADLINE_EXCEEDED", `A body arrives within ${milliseconds} ms.`, {
    reason: "BODY_TOO_SLOW",
  });
}
