import { TurnkeepError } from "../../ledger/index.ts";

type Rule = ConstructorParameters<typeof TurnkeepError>;

const unavailable = (
  message: string,
  reason?: "STORAGE_FULL" | "STORAGE_READ_ONLY" | "STORE_BUSY",
): Rule => ["UNAVAILABLE", message, { retryable: true, ...(reason !== undefined && { reason }) }];
const refused = (message: string): Rule => [
  "FAILED_PRECONDITION",
  message,
  { reason: "STORE_UNSUITABLE" },
];
const moving = unavailable("The Redis cluster is moving slots between its servers; try again.");
const away: Rule = unavailable("Redis is away; try again.");

/** What went wrong, by the first word of what Redis said. */
const RULES: Readonly<Record<string, Rule>> = {
  OOM: unavailable(
    "The memory of Redis is full; raise maxmemory or delete sessions.",
    "STORAGE_FULL",
  ),
  MISCONF: unavailable(
    "Redis cannot write to its disk and takes no writes; free some space.",
    "STORAGE_FULL",
  ),
  READONLY: unavailable(
    "This Redis is a replica now; it can be written again once the client finds the primary.",
    "STORAGE_READ_ONLY",
  ),
  LOADING: unavailable("Redis is still loading its data; try again.", "STORE_BUSY"),
  BUSY: unavailable("Redis is busy with a long script; try again.", "STORE_BUSY"),
  CLUSTERDOWN: unavailable("The Redis cluster is down: some of its slots are not served."),
  MASTERDOWN: unavailable("The primary of this Redis is away; try again."),
  NOREPLICAS: unavailable("Redis has fewer replicas than min-replicas-to-write asks for."),
  MOVED: moving,
  ASK: moving,
  TRYAGAIN: moving,
  NOAUTH: refused("Redis wants a password: put it into the url, or into the client's options."),
  WRONGPASS: refused("Redis does not know this user and password."),
  NOPERM: refused(
    "The Redis user may not do what the store needs: allow it +@read +@write +@scripting +@connection +info on keys that begin with the prefix.",
  ),
};

/** Wraps whatever the client threw, so that callers see what to do about it. What Redis said may name keys, and stays in the cause. */
export function toStoreError(error: unknown): TurnkeepError {
  if (TurnkeepError.is(error)) return error;
  const [status, message, options] = isReply(error)
    ? (RULES[firstWordOf(error)] ?? ["INTERNAL", "Redis refused a command."])
    : away;
  return new TurnkeepError(status, message, { ...options, cause: error });
}

/** Whether Redis answered, and so did none of what it was asked for. */
export function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError";
}

/** Whether Redis does not have the script, because it was started anew or is another one. */
export function isMissingScript(error: unknown): boolean {
  return isReply(error) && firstWordOf(error) === "NOSCRIPT";
}

function firstWordOf({ message }: Error): string {
  return message.split(" ", 1)[0] ?? "";
}
