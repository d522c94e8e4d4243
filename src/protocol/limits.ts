import { TurnkeepError } from "./turnkeep-error.ts";

/** How much a reader takes before it refuses. */
export type Limits = {
  /** JSON text, in bytes of UTF-8. */
  readonly textBytes: number;
  /** Levels of arrays and objects inside each other; at most 1,000. */
  readonly depth: number;
  /** Values, counting every array, object and member. */
  readonly nodes: number;
  /** One string or one key, in bytes of UTF-8. */
  readonly stringBytes: number;
  /** One id, in UTF-16 code units. */
  readonly idLength: number;
  /** Parts in one message, chunk, artifact or tool response. */
  readonly partsPerMessage: number;
  /** One event of an SSE stream, in UTF-16 code units. */
  readonly sseEventLength: number;
};

/** Limits to change; the others keep their defaults. */
export type LimitOptions = Partial<Limits>;

/** One event of an SSE stream, where nothing else is said. */
export const LONGEST_SSE_EVENT = 33_554_432;

/** What is taken from a stranger. */
export const LIMITS: Limits = {
  textBytes: 1_048_576,
  depth: 64,
  nodes: 100_000,
  stringBytes: 262_144,
  idLength: 800,
  partsPerMessage: 64,
  sseEventLength: LONGEST_SSE_EVENT,
};

// Spelled out: pages load it, without the limits above.
/** What is taken from a server the caller chose: its answers hold whole conversations. */
export const ANSWER_LIMITS: Limits = {
  textBytes: 33_554_432,
  depth: 256,
  nodes: 4_000_000,
  stringBytes: 33_554_432,
  idLength: 800,
  partsPerMessage: 10_000,
  sseEventLength: LONGEST_SSE_EVENT,
};

/** Readers call themselves at every level, so the call stack bounds how deep they can go. */
export const MAX_DEPTH = 1000;

/**
 * The default limits with the given ones in their place.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when one is no whole number above zero, or the depth is over 1,000.
 */
export function limitsFrom(options?: LimitOptions, defaults: Limits = LIMITS): Limits {
  if (options === undefined) return defaults;
  const limits = { ...defaults };
  for (const name of Object.keys(defaults) as (keyof Limits)[]) {
    const value = options[name];
    if (value === undefined) continue;
    const most = name === "depth" ? MAX_DEPTH : Number.MAX_SAFE_INTEGER;
    if (!Number.isSafeInteger(value) || value < 1 || value > most) {
      throw new TurnkeepError(
        "INVALID_ARGUMENT",
        `The limit ${name} must be a whole number from 1 to ${most}.`,
      );
    }
    limits[name] = value;
  }
  return limits;
}
