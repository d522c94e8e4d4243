import { TurnkeepError } from "../../ledger/index.ts";

type Rule = ConstructorParameters<typeof TurnkeepError>;

const unavailable = (
  message: string,
  reason?: "STORAGE_FULL" | "STORAGE_READ_ONLY" | "STORE_BUSY",
): Rule => ["UNAVAILABLE", message, { retryable: true, ...(reason !== undefined && { reason }) }];
const full = unavailable("The disk is full; free some space.", "STORAGE_FULL");
const readOnly = unavailable(
  "The store's folder cannot be written: give its owner the right to, on a disk that is not read-only.",
  "STORAGE_READ_ONLY",
);
const busy = unavailable("Too many files are open; raise the limit or try again.", "STORE_BUSY");
const misshapen: Rule = [
  "FAILED_PRECONDITION",
  "The store's folder lacks a folder it needs, or holds something else in its place; restore it and open the store again.",
  { reason: "STORE_UNSUITABLE" },
];

const RULES: Readonly<Record<string, Rule>> = {
  ENOSPC: full,
  EDQUOT: full,
  EACCES: readOnly,
  EPERM: readOnly,
  EROFS: readOnly,
  EMFILE: busy,
  ENFILE: busy,
  EIO: unavailable("The disk failed to read or write."),
  ENOENT: misshapen,
  ENOTDIR: misshapen,
  ELOOP: misshapen,
};

/** Wraps whatever the file system said, without the path, which may be nobody's business. */
export function toStoreError(error: unknown): TurnkeepError {
  if (TurnkeepError.is(error)) return error;
  const code = String((error as NodeJS.ErrnoException | undefined)?.code);
  const [status, message, options] = RULES[code] ?? [
    "INTERNAL",
    "The file system refused a call; see the cause.",
  ];
  return new TurnkeepError(status, message, { ...options, cause: error });
}

/** What a session answers with when a file of it is not as it was written. */
export function damaged(cause?: unknown): TurnkeepError {
  return new TurnkeepError(
    "DATA_LOSS",
    "A file of the session is damaged or missing; restore the session's folder from a backup.",
    { cause },
  );
}
