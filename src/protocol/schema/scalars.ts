import { checkLength } from "./containers.ts";
import type { Place } from "./place.ts";
import type { Reader } from "./reader.ts";

const CONTROL_OR_LONE_SURROGATE = /[\p{Cc}\p{Cs}]/u;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Any string. */
export function text(value: unknown, place: Place): string {
  if (typeof value !== "string") place.refuse("a string");
  checkLength(value, place);
  return value;
}

/** A string with something in it. */
export function name(value: unknown, place: Place): string {
  const result = text(value, place);
  return result === "" ? place.refuse("a string that is not empty") : result;
}

/** A string; the empty one means there is none. */
export function optionalName(value: unknown, place: Place): string | undefined {
  return value === "" ? undefined : text(value, place);
}

/** An id: not blank, no control characters, and sound Unicode, so that every store can keep it as it is. */
export function id(value: unknown, place: Place): string {
  if (typeof value !== "string") place.refuse("a string");
  const most = place.limits.idLength;
  if (value.length > most) place.exceed(`an id of at most ${most} characters`);
  if (value.trim() === "" || CONTROL_OR_LONE_SURROGATE.test(value)) {
    place.refuse("an id that is not blank and holds no control characters");
  }
  return value;
}

/** An id; the empty string means there is none, since some senders write that. */
export function optionalId(value: unknown, place: Place): string | undefined {
  return value === "" ? undefined : id(value, place);
}

/** True or false. */
export function flag(value: unknown, place: Place): boolean {
  return typeof value === "boolean" ? value : place.refuse("true or false");
}

/** A whole number from zero up. */
export function count(value: unknown, place: Place): number {
  const isCount = Number.isSafeInteger(value) && (value as number) >= 0;
  return isCount ? (value as number) : place.refuse("a whole number from zero up");
}

/** A moment as RFC 3339 writes it. */
export function timestamp(value: unknown, place: Place): string {
  const isTimestamp =
    typeof value === "string" && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value));
  return isTimestamp ? value : place.refuse("a date and time as in RFC 3339");
}

/** One of a few known names. */
export function nameFrom<Name extends string>(names: readonly Name[]): Reader<Name> {
  const known: ReadonlySet<unknown> = new Set(names);
  const expected = `one of ${names.join(", ")}`;
  return (value, place) => (known.has(value) ? (value as Name) : place.refuse(expected));
}
