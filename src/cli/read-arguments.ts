import { parseArgs, type ParseArgsConfig } from "node:util";
import { TurnkeepError } from "../protocol/index.ts";
import { findNearest } from "./find-nearest.ts";

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
    throw misuse(complaintAbout(args, options) ?? (error as Error).message);
  }
}

function complaintAbout(args: readonly string[], options: Options): string | undefined {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    const complaint = token.kind === "option" ? complaintAboutOption(token, options) : undefined;
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

interface GivenOption {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function complaintAboutOption(
  { name, rawName, value, inlineValue }: GivenOption,
  options: Options,
): string | undefined {
  const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
  if (type === undefined) return `There is no option "${rawName}".${hintAt(rawName, options)}`;
  if (type === "boolean") return value === undefined ? undefined : `${rawName} takes no value.`;
  const isMissing = value === undefined || (inlineValue !== true && value.startsWith("-"));
  return isMissing ? `${rawName} needs a value.` : undefined;
}

function hintAt(given: string, options: Options): string {
  const names = [...Object.keys(options), "help"].map((name) => `--${name}`);
  const near = findNearest(given, names);
  return near === undefined ? "" : ` Did you mean ${near}?`;
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
