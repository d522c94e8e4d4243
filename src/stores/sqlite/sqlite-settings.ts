import { TurnkeepError } from "../../ledger/index.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";

/** Older ones can lose a commit when one process resets the log while another writes. */
export const OLDEST_SQLITE = "3.51.3";

/**
 * A row that does not fit a page is cut over several, so small pages leave little empty; large ones waste what is left beside a
 * row, and the first page of every table. Bytes of the file by bytes of the messages, for turns of 2 KB, at pages of 1, 2, 4, 8 and
 * 16 KiB: 1.30, 1.39, 2.17, 1.71, 2.10 after 100 turns and 1.27, 1.30, 2.01, 1.37, 1.41 after 1,000. Commits are faster, too, as each
 * writes whole pages to the log, and loading is not slower.
 *
 * Both settings count only before the first table is made; on a file that exists they do nothing.
 */
const ON_CREATION = ["pragma page_size = 1024", "pragma auto_vacuum = incremental"];

// The calls block the event loop, so SQLite itself waits for locks only shortly; see `retryWhileBusy`.
// The log is folded back every 4 MiB.
const PER_CONNECTION = [
  "pragma busy_timeout = 25",
  "pragma synchronous = full",
  // What is removed is overwritten, not only unlinked: erased means erased.
  "pragma secure_delete = on",
  "pragma wal_autocheckpoint = 4096",
  // In KiB. What SQLite takes by itself is less than one long conversation, whose pages would be read anew each time.
  "pragma cache_size = -16384",
];

const FULL = 2;

/**
 * Sets what durability rests on and reads it back.
 *
 * @throws TurnkeepError FAILED_PRECONDITION when the client or the file does not allow it.
 */
export function applySettings(database: SqliteDatabase): void {
  const { version } = database.prepare("select sqlite_version() as version").get() as {
    version: string;
  };
  if (!isAtLeast(version, OLDEST_SQLITE)) {
    throw unsuitable(`SQLite ${version} can lose commits; use ${OLDEST_SQLITE} or newer.`, {
      version,
    });
  }
  for (const pragma of [...PER_CONNECTION, ...ON_CREATION]) database.exec(pragma);
  const { journal_mode: journal } = database.prepare("pragma journal_mode = wal").get() as {
    journal_mode: string;
  };
  if (journal !== "wal") {
    throw unsuitable(
      `journal_mode is "${journal}" and must be "wal": use a file on a local disk.`,
      { journal },
    );
  }
  const { synchronous } = database.prepare("pragma synchronous").get() as { synchronous: number };
  if (synchronous !== FULL) {
    throw unsuitable(`synchronous is ${synchronous} and must be ${FULL} (full).`, { synchronous });
  }
}

/** Compares dotted version numbers. */
export function isAtLeast(version: string, oldest: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, wanted] of oldest.split(".").map(Number).entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}

function unsuitable(message: string, details: Record<string, unknown>): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `This database cannot keep sessions: ${message}`,
    {
      reason: "STORE_UNSUITABLE",
      details,
    },
  );
}
