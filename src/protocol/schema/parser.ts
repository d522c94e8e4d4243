import { type LimitOptions, type Limits, LIMITS, limitsFrom } from "../limits.ts";
import { Place } from "./place.ts";
import type { Reader } from "./reader.ts";

/** How a parser may be told to behave. */
export type ParseOptions = {
  /** Limits in place of the default ones. */
  readonly limits?: LimitOptions;
};

/**
 * Turns unknown input into a fresh value of a known shape.
 *
 * @throws TurnkeepError INVALID_ARGUMENT naming the place and what was expected there, never what was sent.
 */
export type Parser<Value> = (value: unknown, options?: ParseOptions) => Value;

/** A parser out of a reader. The name stands in errors about the whole value. */
export function parserOf<Value>(
  name: string,
  read: Reader<Value>,
  defaults: Limits = LIMITS,
): Parser<Value> {
  return (value, options = {}) =>
    read(value, Place.start(name, limitsFrom(options.limits, defaults)));
}
