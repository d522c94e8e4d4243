import { type Json, TurnkeepError } from "../protocol/index.ts";

export type Fields = Readonly<Record<string, Json | undefined>>;

/** @throws TurnkeepError INVALID_ARGUMENT when it is no object. */
export function fieldsOf(value: Json | undefined, name = "The body"): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw invalid(`${name} must be an object.`);
}

/** A text of the body; `undefined` when it is not there. @throws TurnkeepError INVALID_ARGUMENT. */
export function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === "string") return value;
  throw invalid(`'${name}' must be text.`);
}

/** A whole number of the query; `undefined` when it is not there. @throws TurnkeepError INVALID_ARGUMENT. */
export function countOf({ searchParams }: URL, name: string): number | undefined {
  const text = searchParams.get(name);
  if (text === null) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalid(`'${name}' must be a whole number.`);
}

const USUAL_LIMIT = 50;
const MOST_LISTED = 200;

/** How many of a list are asked for: 50 unless told, 200 at most. @throws TurnkeepError INVALID_ARGUMENT. */
export function limitOf(url: URL): number {
  const limit = countOf(url, "limit") ?? USUAL_LIMIT;
  if (limit < 1) throw invalid("'limit' must be at least 1.");
  return Math.min(limit, MOST_LISTED);
}

/** One of the names, from the query. @throws TurnkeepError INVALID_ARGUMENT for another. */
export function choiceOf<Name extends string>(
  { searchParams }: URL,
  name: string,
  names: readonly Name[],
): Name | undefined {
  const text = searchParams.get(name);
  if (text === null) return undefined;
  const found = names.find((one) => one === text);
  if (found !== undefined) return found;
  throw invalid(`'${name}' must be one of ${names.join(", ")}.`);
}

export function invalid(message: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", message);
}

/** A place in a list, as text that only means something here. */
export function toToken(value: Json): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @throws TurnkeepError INVALID_ARGUMENT for what is no token of ours. */
export function fromToken(token: string): Json {
  try {
    const text = atob(token.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Json;
  } catch {
    throw invalid("'continuationToken' is none of this server.");
  }
}
