import type { BusyPolicy } from "../ledger/index.ts";
import { assertJson, TurnkeepError } from "../protocol/index.ts";

/** What an option must be: the words for it, and whether a value is. */
export interface OptionRule {
  readonly rule: string;
  readonly holds: (value: unknown) => boolean;
}

type Rules = ReadonlyMap<string, OptionRule>;

const NO_RULES: Rules = new Map();

const BUSY_POLICIES: readonly BusyPolicy[] = ["reject", "queue", "interrupt"];

const TEXT: OptionRule = { rule: "text", holds: (value) => typeof value === "string" };

const COUNT: OptionRule = {
  rule: "a whole number of at least 0",
  holds: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};

const LONGEST_KEY = 64;

const METADATA: OptionRule = {
  rule: `an object of JSON whose keys have at most ${LONGEST_KEY} characters`,
  holds: (value) =>
    isObject(value) &&
    isJson(value) &&
    Object.keys(value).every((key) => isShort(key, LONGEST_KEY)),
};

/** Where a reader of a run was. */
export const AFTER_EVENT: Rules = new Map([["after", COUNT]]);

/** Where a reader of a list was. */
export const AFTER_PAGE: Rules = new Map([["after", TEXT]]);

/** Which snapshots of a session are listed. */
export const SNAPSHOT_PAGE: Rules = new Map([
  ["after", TEXT],
  [
    "limit",
    {
      rule: "a whole number of at least 1",
      holds: (value: unknown) => COUNT.holds(value) && value !== 0,
    },
  ],
  ["withState", { rule: "true or false", holds: (value: unknown) => typeof value === "boolean" }],
]);

// The same name means the same thing wherever it is an option.
const RULES: Rules = new Map(
  Object.entries<OptionRule>({
    sessionId: TEXT,
    snapshotId: TEXT,
    tenant: TEXT,
    principal: TEXT,
    requestId: TEXT,
    expectedHead: { rule: "text or null", holds: (value) => value === null || TEXT.holds(value) },
    context: { rule: "an object", holds: isObject },
    unredacted: { rule: "true or false", holds: (value) => typeof value === "boolean" },
    metadata: METADATA,
    telemetryLabels: {
      rule: "an object of texts",
      holds: (value) => isObject(value) && Object.values(value).every(TEXT.holds),
    },
    state: { rule: "an object", holds: isObject },
    onBusy: oneOf(BUSY_POLICIES),
    activity: oneOf(["active", "idle"]),
    signal: {
      rule: "an AbortSignal",
      holds: (value) => isObject(value) && "aborted" in value && "addEventListener" in value,
    },
  }),
);

/**
 * Refuses options of a wrong type before anything is done: types are not there at run time.
 *
 * @throws TurnkeepError INVALID_ARGUMENT naming the option and no value.
 */
export function checkOptions(options: unknown, more: Rules = NO_RULES): void {
  if (!isObject(options)) throw refusal("options", "an object");
  for (const [name, value] of Object.entries(options)) {
    const option = more.get(name) ?? RULES.get(name);
    if (value !== undefined && option && !option.holds(value)) throw refusal(name, option.rule);
  }
}

/** @throws TurnkeepError INVALID_ARGUMENT. */
export function checkText(value: unknown, name: string): void {
  if (!TEXT.holds(value)) throw refusal(name, TEXT.rule);
}

/** @throws TurnkeepError INVALID_ARGUMENT. */
export function checkAnnotation(annotation: unknown): void {
  const rule = "one of { label, snapshotId }, { removeLabel }, { pin }, { unpin } and { about }";
  if (!isObject(annotation)) throw refusal("annotation", rule);
  const { label, snapshotId, ...rest } = annotation as Readonly<Record<string, unknown>>;
  const others = ["removeLabel", "pin", "unpin", "about"].filter((name) => name in rest);
  if (label === undefined ? others.length !== 1 : others.length > 0) {
    throw refusal("annotation", rule);
  }
  if (label !== undefined) checkText(snapshotId, "snapshotId");
  for (const name of others) if (name !== "about") checkText(rest[name], name);
  if ("about" in rest) checkAbout(rest["about"]);
  for (const value of [label, rest["removeLabel"]]) {
    if (value !== undefined && (typeof value !== "string" || value.trim() === ""))
      throw refusal("label", "text that is not blank");
  }
}

const LONGEST_TITLE = 200;
const LONGEST_TAG = 64;
const MOST_TAGS = 16;

// They live in the head record, which every step reads.
function checkAbout(about: unknown): void {
  if (!isObject(about)) throw refusal("about", "{ title, tags, metadata }");
  const { title, tags, metadata } = about as Readonly<Record<string, unknown>>;
  if (metadata !== undefined && metadata !== null && !METADATA.holds(metadata)) {
    throw refusal("metadata", `null, or ${METADATA.rule}`);
  }
  if (title !== undefined && title !== null && !isShort(title, LONGEST_TITLE)) {
    throw refusal("title", `null, or text of at most ${LONGEST_TITLE} characters`);
  }
  const isList = Array.isArray(tags) && tags.length <= MOST_TAGS;
  if (tags !== undefined && !(isList && tags.every((tag) => isShort(tag, LONGEST_TAG)))) {
    throw refusal("tags", `at most ${MOST_TAGS} texts of at most ${LONGEST_TAG} characters`);
  }
}

function isShort(value: unknown, most: number): boolean {
  return typeof value === "string" && value.trim() !== "" && value.length <= most;
}

/**
 * The lines of a session file as they come.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when they are no lines.
 */
export async function* checkedLines(
  lines: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string> {
  const isIterable =
    typeof lines === "object" &&
    lines !== null &&
    (Symbol.iterator in lines || Symbol.asyncIterator in lines);
  if (!isIterable) throw refusal("lines", "a list or stream of lines");
  for await (const line of lines) {
    checkText(line, "Each line");
    yield line;
  }
}

function oneOf(names: readonly string[]): OptionRule {
  return {
    rule: `one of ${names.map((name) => `"${name}"`).join(", ")}`,
    holds: (value) => names.includes(value as string),
  };
}

// As it is: JSON would drop functions, and make other things of dates and the like.
function isJson(value: unknown): boolean {
  try {
    assertJson(value);
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refusal(name: string, rule: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `${name} must be ${rule}.`, {
    details: { field: name },
  });
}
