import type { Json } from "../protocol/index.ts";
import { hashText } from "./sha256.ts";

// Above this length an object or array stands in its parent's text as a digest, which is remembered. A change deep
// inside a large frozen state then costs the way down to it, not the whole state.
const DIGEST_ABOVE = 2048;

const digests = new WeakMap<object, string>();

/** Text that is equal exactly for equal JSON values, whatever the order of their keys. Only for frozen values. */
export function canonicalText(value: Json | undefined): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const known = digests.get(value);
  if (known !== undefined) return known;
  const text = Array.isArray(value)
    ? listText(value)
    : objectText(value as Readonly<Record<string, Json>>);
  if (text.length <= DIGEST_ABOVE) return text;
  const digest = `#${hashText(text)}`;
  digests.set(value, digest);
  return digest;
}

function listText(list: readonly Json[]): string {
  return `[${list.map(canonicalText).join()}]`;
}

function objectText(object: Readonly<Record<string, Json | undefined>>): string {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  return `{${keys
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(object[key])}`)
    .join()}}`;
}
