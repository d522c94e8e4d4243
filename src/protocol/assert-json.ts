import type { Json } from "./json.ts";
import { type LimitOptions, limitsFrom } from "./limits.ts";
import { checkJson } from "./schema/check-json.ts";
import { Place } from "./schema/place.ts";

/**
 * Makes sure that a value made in this program is JSON: no functions, instances, cycles, holes or infinite numbers. Any
 * key is legal. Nothing is copied.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when it is not, or is over a limit.
 */
export function assertJson(value: unknown, options?: LimitOptions): asserts value is Json {
  checkJson(value, Place.start("value", limitsFrom(options)), "program");
}
