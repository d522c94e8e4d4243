import { TurnkeepError } from "../../ledger/index.ts";
import { storeClosed } from "../store-closed.ts";

type Rule = ConstructorParameters<typeof TurnkeepError>;

const unavailable = (
  message: string,
  reason?: "STORAGE_FULL" | "STORAGE_READ_ONLY" | "STORE_BUSY",
): Rule => ["UNAVAILABLE", message, { retryable: true, ...(reason !== undefined && { reason }) }];
const unsuitable = (message: string): Rule => [
  "FAILED_PRECONDITION",
  message,
  { reason: "STORE_UNSUITABLE" },
];
const tooLarge: Rule = [
  "INVALID_ARGUMENT",
  "A row or its key is larger than Postgres allows.",
  { reason: "LIMIT_EXCEEDED" },
];
const away = unavailable("Postgres cannot be reached or does not answer; see that it runs.");
const busy = unavailable("Postgres is busy; try again.", "STORE_BUSY");
const refused = unsuitable("Postgres refused the sign-in; check the user and the password.");
const missing = unsuitable("The tables or functions of the store are missing; open it again.");
const pooler = unsuitable(
  "Postgres refused the connection's settings; behind a pooler, open the store with listen: false.",
);
const broken: Rule = ["DATA_LOSS", "Postgres found damaged data; restore a backup."];

/** What went wrong, by SQLSTATE or, where no rule names that, by its class. */
const RULES: Readonly<Record<string, Rule>> = {
  "08": away,
  "25006": unavailable(
    "Postgres can only be read: connect to the primary server.",
    "STORAGE_READ_ONLY",
  ),
  "28": refused,
  "3D": unsuitable("The database does not exist; create it."),
  "3F": missing,
  "40": busy,
  "42501": unsuitable("The user may not use the store's schema; grant it the rights it needs."),
  "42883": missing,
  "42P01": missing,
  "53": busy,
  "53100": unavailable("The disk of Postgres is full; free some space.", "STORAGE_FULL"),
  "54": tooLarge,
  "55P03": busy,
  "57014": busy,
  "57": away,
  "58": unavailable("The disk of Postgres failed to read or write."),
  XX001: broken,
  XX002: broken,
};

// No class of them begins with an E, as the codes of failed connections do: ECONNRESET, EPIPE.
const SQL_STATE = /^[0-9A-DF-Z][0-9A-Z]{4}$/;

/** Wraps whatever the client threw, so that callers see what to do about it. */
export function toStoreError(error: unknown): TurnkeepError {
  if (TurnkeepError.is(error)) return error;
  const message = error instanceof Error ? error.message : "";
  if (message.includes("after calling end on the pool")) return storeClosed();
  const state = sqlStateOf(error);
  const [status, text, options] = ruleFor(state, message);
  const details = state === undefined ? {} : { sqlState: state };
  return new TurnkeepError(status, text, { ...options, details, cause: error });
}

/** Whether Postgres itself said that the statement failed: it is undone then. Not so when the connection ended on the way. */
export function isRefusal(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && !/^(08|57P)/.test(state);
}

function ruleFor(state: string | undefined, message: string): Rule {
  // What the client says of a password that is missing or does not fit, and PgBouncer of settings; neither has a code of its own.
  if (message.startsWith("SASL")) return refused;
  if (message.startsWith("unsupported startup parameter")) return pooler;
  if (state === undefined) return away;
  return RULES[state] ?? RULES[state.slice(0, 2)] ?? ["INTERNAL", "Postgres refused a statement."];
}

function sqlStateOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && SQL_STATE.test(code) ? code : undefined;
}
