import { parseArgs, type ParseArgsConfig } from "node:util";
import { TurnkeepError } from "../protocol/index.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Read<Known extends Options> = ReturnType<
  typeof parseArgs<{ options: Known; allowPositionals: true }>
>;

/**
 * What stands behind a command.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for an option that it does not know, or one without its value.
 */
export function readArguments<const Known extends Options>(
  args: readonly string[],
  options: Known,
): Read<Known> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw misuse((error as Error).message);
  }
}

/** @throws TurnkeepError INVALID_ARGUMENT unless exactly one is named. */
export function oneOf(positionals: readonly string[], what: string): string {
  const [first, ...others] = positionals;
  if (first === undefined || others.length > 0) throw misuse(`Name one ${what}.`);
  return first;
}

/** @throws TurnkeepError INVALID_ARGUMENT when it is no port. */
export function portFrom(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw misuse("--port must be a port: a number up to 65535.");
}

export function misuse(message: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", message);
}
