import { freezeJson, isFrozenJson } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";

/**
 * A frozen copy as plain JSON: whoever keeps what it passed in can go on changing it without being noticed. What is frozen
 * throughout needs no copy.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when JSON cannot say it.
 */
export function plainCopy<Value>(value: Value): Value {
  const isPlain = typeof value !== "object" || value === null || isFrozenJson(value);
  return freezeJson(isPlain ? value : copyOf(value));
}

// Through JSON, so that instances of classes leave their methods behind.
function copyOf<Value>(value: Value): Value {
  try {
    return JSON.parse(JSON.stringify(value)) as Value;
  } catch (cause) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      "Only what JSON can say can be kept and streamed.",
      {
        cause,
      },
    );
  }
}
