import type { Json } from "../protocol/index.ts";

/**
 * JSON text that is the same for equal values, whatever the order of their keys (as in RFC 8785): for signatures on what
 * travels through programs that do not keep the order.
 */
export function canonicalJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.keys(value)
    .toSorted()
    .flatMap((key) => {
      const member = value[key];
      return member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(member)}`];
    });
  return `{${members.join(",")}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
