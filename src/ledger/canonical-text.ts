import type { Json } from "../protocol/index.ts";
import { hashText } from "./sha256.ts";

// Above this length an object or array stands in its parent's text as a digest, which is remembered. A change deep
// inside a large frozen state then costs the way down to it, not the whole state.
const DIGEST_ABOVE = 2048;
const ESCAPE_UP_TO = 32;

const digests = new WeakMap<object, string>();

/** Text that is equal exactly for equal JSON values, whatever the order of their keys. Only for frozen values. */
export function canonicalText(value: Json | undefined): string {
  if (typeof value === "string") return stringText(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const known = digests.get(value);
  if (known !== undefined) return known;
  const text = Array.isArray(value) ? listText(value) : objectText(value as Members);
  if (text.length <= DIGEST_ABOVE) return text;
  const digest = `#${hashText(text)}`;
  digests.set(value, digest);
  return digest;
}

// Its length in front makes a long string unmistakable without escaping it. One that is no well-formed text is escaped, since
// hashing would take different ones for the same.
function stringText(text: string): string {
  return text.length > ESCAPE_UP_TO && text.isWellFormed()
    ? `${text.length}:${text}`
    : JSON.stringify(text);
}

type Members = Readonly<Record<string, Json | undefined>>;

function listText(list: readonly Json[]): string {
  let text = "[";
  for (const element of list) text += `${canonicalText(element)},`;
  return `${text}]`;
}

function objectText(object: Members): string {
  let text = "{";
  for (const key of sortedKeys(object)) {
    const member = object[key];
    if (member !== undefined) text += `${JSON.stringify(key)}:${canonicalText(member)},`;
  }
  return `${text}}`;
}

const FEW_KEYS = 8;

// Most objects have a few keys, and many of those are in order already: put in place one by one.
function sortedKeys(object: Members): readonly string[] {
  const keys = Object.keys(object);
  if (keys.length > FEW_KEYS) return keys.toSorted();
  for (let end = 1; end < keys.length; end += 1) {
    const key = keys[end]!;
    let at = end;
    for (; at > 0 && keys[at - 1]! > key; at -= 1) keys[at] = keys[at - 1]!;
    keys[at] = key;
  }
  return keys;
}
