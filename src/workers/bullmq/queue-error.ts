import { TurnkeepError } from "../../protocol/index.ts";
import type { QueuePlace } from "./queue-place.ts";

const AWAY =
  /^(ECONN|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENOTFOUND|EPIPE|ETIMEDOUT|57P0|08)|timeout|timed out|Connection is closed/i;

/** The server of a queue did not do what it was asked: it is away, or refuses for a reason that a person must see to. */
export function queueError({ server }: QueuePlace, cause: unknown): TurnkeepError {
  if (TurnkeepError.is(cause)) return cause;
  const { code = "", message = "" } = cause as { code?: string; message?: string };
  return AWAY.test(code) || AWAY.test(message)
    ? queueAway(server, cause)
    : new TurnkeepError(
        "FAILED_PRECONDITION",
        `The queue's server at ${server} refuses: ${message}. Correct the connection or the server's settings.`,
        { cause },
      );
}

export function queueAway(server: string, cause: unknown): TurnkeepError {
  return new TurnkeepError(
    "UNAVAILABLE",
    `The queue's server at ${server} does not answer. Start it, or correct the connection.`,
    { cause, retryable: true },
  );
}
