import type { BusyPolicy } from "../ledger/index.ts";
import { assertJson, type Hints, TurnkeepError, unknownName } from "../protocol/index.ts";
import type { Agent, CallOptions, ReadOptions } from "./agent.ts";

/** What an option must be, and the error for a value that is not. */
export interface OptionRule {
  readonly holds: (value: unknown) => boolean;
  readonly refusal: (name: string, value: unknown) => TurnkeepError;
}

/** A rule for each option of a call: others are refused. */
export type OptionRules<Options> = { readonly [Name in keyof Options]-?: OptionRule };

const BUSY_POLICIES: readonly BusyPolicy[] = ["reject", "queue", "interrupt"];

export const ANYTHING: OptionRule = mustBe("anything", () => true);
export const TEXT: OptionRule = mustBe("text", (value) => typeof value === "string");
export const FLAG: OptionRule = mustBe("true or false", (value) => typeof value === "boolean");
export const OBJECT: OptionRule = mustBe("an object", isObject);
export const FUNCTION: OptionRule = mustBe("a function", (value) => typeof value === "function");
export const BUSY_POLICY: OptionRule = oneOf("busy policy", BUSY_POLICIES);

const COUNT: OptionRule = mustBe(
  "a whole number of at least 0",
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);

const SIGNAL: OptionRule = mustBe(
  "an AbortSignal",
  (value) => isObject(value) && "aborted" in value && "addEventListener" in value,
);

/** Who reads. */
export const READ_OPTIONS: OptionRules<ReadOptions> = {
  context: OBJECT,
  tenant: TEXT,
  unredacted: FLAG,
};

/** Who waits for something. */
export const WAIT_OPTIONS: OptionRules<NonNullable<Parameters<Agent["waitFor"]>[1]>> = {
  ...READ_OPTIONS,
  signal: SIGNAL,
};

const LONGEST_KEY = 64;

const METADATA_RULE = `an object of JSON whose keys have at most ${LONGEST_KEY} characters`;
const METADATA: OptionRule = mustBe(
  METADATA_RULE,
  (value) =>
    isObject(value) &&
    isJson(value) &&
    Object.keys(value).every((key) => isShort(key, LONGEST_KEY)),
);

/** Where a reader of a run was. */
export const FOLLOW_OPTIONS: OptionRules<NonNullable<Parameters<Agent["attach"]>[1]>> = {
  ...WAIT_OPTIONS,
  after: COUNT,
};

/** Which part of a list is wanted. */
export const LIST_OPTIONS: OptionRules<NonNullable<Parameters<Agent["listSessions"]>[0]>> = {
  ...READ_OPTIONS,
  limit: ANYTHING,
  after: TEXT,
  activity: oneOf("activity", ["active", "idle"]),
  metadata: METADATA,
};

/** Which snapshots of a session are listed. */
export const SNAPSHOT_LIST_OPTIONS: OptionRules<
  NonNullable<Parameters<Agent["listSnapshots"]>[1]>
> = {
  ...READ_OPTIONS,
  withState: FLAG,
  limit: mustBe("a whole number of at least 1", (value) => COUNT.holds(value) && value !== 0),
  after: TEXT,
};

/** What a fork starts with. */
export const FORK_OPTIONS: OptionRules<NonNullable<Parameters<Agent["fork"]>[1]>> = {
  ...READ_OPTIONS,
  sessionId: TEXT,
  state: OBJECT,
};

/** Where a run starts, and who asks for it. */
export const CALL_OPTIONS: OptionRules<CallOptions> = {
  ...WAIT_OPTIONS,
  sessionId: TEXT,
  snapshotId: TEXT,
  state: OBJECT,
  promptInput: ANYTHING,
  metadata: METADATA,
  principal: TEXT,
  onBusy: BUSY_POLICY,
  requestId: TEXT,
  expectedHead: mustBe("text or null", (value) => value === null || TEXT.holds(value)),
  telemetryLabels: mustBe(
    "an object of texts",
    (value) => isObject(value) && Object.values(value).every(TEXT.holds),
  ),
};

/**
 * Refuses unknown options, and options of a wrong type, before anything is done: types are not there at run time.
 *
 * @throws TurnkeepError INVALID_ARGUMENT naming the option and no value.
 */
export function checkOptions<Options>(
  options: unknown,
  rules: OptionRules<Options>,
  hints?: Hints,
): void {
  if (!isObject(options)) throw refusal("options", "an object");
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(rules, name)) throw unknownOption(name, Object.keys(rules), hints);
    const option = (rules as Readonly<Record<string, OptionRule>>)[name];
    if (option && !option.holds(value)) throw option.refusal(name, value);
  }
}

/** @throws TurnkeepError INVALID_ARGUMENT. */
export function checkText(value: unknown, name: string): void {
  if (!TEXT.holds(value)) throw TEXT.refusal(name, value);
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
    throw refusal("metadata", `null, or ${METADATA_RULE}`);
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

function unknownOption(name: string, names: readonly string[], hints?: Hints): TurnkeepError {
  return unknownName(name, { kind: "option", names, hints });
}

/** A rule in words: `name must be …`. */
export function mustBe(words: string, holds: (value: unknown) => boolean): OptionRule {
  return { holds, refusal: (name) => refusal(name, words) };
}

/** One of a few names, such as a policy. */
export function oneOf(kind: string, names: readonly string[]): OptionRule {
  return {
    holds: (value) => names.includes(value as string),
    refusal: (_, value) => unknownName(typeof value === "string" ? value : "", { kind, names }),
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

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refusal(name: string, rule: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `${name} must be ${rule}.`, {
    details: { field: name },
  });
}
