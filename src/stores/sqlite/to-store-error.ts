import { TurnkeepError } from "../../ledger/index.ts";
import { storeClosed } from "../store-closed.ts";

type Rule = ConstructorParameters<typeof TurnkeepError>;

const unavailable = (
  message: string,
  reason?: "STORAGE_FULL" | "STORAGE_READ_ONLY" | "STORE_BUSY",
): Rule => ["UNAVAILABLE", message, { retryable: true, ...(reason !== undefined && { reason }) }];
const busy = unavailable("Another process holds the database locked; try again.", "STORE_BUSY");
const full = unavailable("The disk is full; free some space.", "STORAGE_FULL");
const readOnly = unavailable(
  "The database cannot be written: its file or directory is read-only.",
  "STORAGE_READ_ONLY",
);
const broken: Rule = ["DATA_LOSS", "The file is damaged or no SQLite database; restore a backup."];

/** What went wrong, by SQLite's primary result code, its name in clients that give names, or the system's code. */
const RULES: Readonly<Record<string, Rule>> = {
  SQLITE_BUSY: busy,
  SQLITE_LOCKED: busy,
  SQLITE_READONLY: readOnly,
  SQLITE_IOERR: unavailable("The disk failed to read or write."),
  SQLITE_CORRUPT: broken,
  SQLITE_FULL: full,
  SQLITE_CANTOPEN: unavailable("The database file cannot be opened."),
  SQLITE_TOOBIG: [
    "INVALID_ARGUMENT",
    "A row is larger than SQLite allows.",
    { reason: "LIMIT_EXCEEDED" },
  ],
  SQLITE_NOTADB: broken,
  EACCES: readOnly,
  EPERM: readOnly,
  EROFS: readOnly,
  ENOSPC: full,
  EDQUOT: full,
  ENOENT: [
    "FAILED_PRECONDITION",
    "The directory of the database does not exist.",
    { reason: "STORE_UNSUITABLE" },
  ],
};

const NAMES: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  18: "SQLITE_TOOBIG",
  26: "SQLITE_NOTADB",
};

/** Wraps whatever a client threw, so that callers see what to do about it and not whose client it was. */
export function toStoreError(error: unknown): TurnkeepError {
  if (TurnkeepError.is(error)) return error;
  const code = codeOf(error);
  // What `node:sqlite` says when somebody closed the database.
  if (code === "ERR_INVALID_STATE") return storeClosed();
  const [status, message, options] = RULES[code] ?? ["INTERNAL", "SQLite refused a statement."];
  const said = error instanceof Error ? ` (${error.message})` : "";
  return new TurnkeepError(status, message + said, { ...options, cause: error });
}

export function isBusy(error: unknown): boolean {
  return RULES[codeOf(error)] === busy;
}

/** Whether the disk failed: at a commit, nobody knows then whether it was written. */
export function isDiskFailure(error: unknown): boolean {
  return codeOf(error) === "SQLITE_IOERR";
}

function codeOf(error: unknown): string {
  const { errcode, code } = (error ?? {}) as { errcode?: unknown; code?: unknown };
  // Extended codes hold the primary one in their low byte.
  if (typeof errcode === "number") return NAMES[errcode & 0xff] ?? "";
  if (typeof code !== "string") return "";
  return code.startsWith("SQLITE_") ? code.split("_", 2).join("_") : code;
}
