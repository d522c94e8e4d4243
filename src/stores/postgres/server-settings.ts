import { type StoreCapabilities, TurnkeepError } from "../../ledger/index.ts";

/** Asked on every opening. All of it is text, so that it does not matter how the client parses other types. */
export const READ_SETTINGS = `select
  current_setting('server_version_num') as version,
  current_setting('server_encoding') as encoding,
  current_setting('synchronous_commit') as waits,
  current_setting('synchronous_standby_names') as standbys,
  current_setting('fsync') as syncs,
  current_setting('transaction_isolation') as isolation,
  current_setting('transaction_read_only') as read_only,
  pg_is_in_recovery()::text as is_replica`;

export interface ServerSettings {
  readonly version: string;
  readonly encoding: string;
  readonly waits: string;
  readonly standbys: string;
  readonly syncs: string;
  readonly isolation: string;
  readonly read_only: string;
  readonly is_replica: string;
}

const OLDEST_VERSION = 150_000;

/** @throws TurnkeepError FAILED_PRECONDITION when the server would lose what is acknowledged, or cannot be written. */
export function checkServer(settings: ServerSettings): void {
  const {
    version,
    encoding,
    waits,
    isolation,
    read_only: readOnly,
    is_replica: isReplica,
  } = settings;
  if (Number(version) < OLDEST_VERSION) {
    const major = Math.trunc(Number(version) / 10_000);
    throw unsuitable(`it is Postgres ${major}; use 15 or newer`, { version });
  }
  if (isReplica === "true" || readOnly === "on") {
    throw unsuitable("it can only be read; connect to the primary server", { readOnly, isReplica });
  }
  if (waits === "off") {
    throw unsuitable(
      "synchronous_commit is off, so that a crash loses what was acknowledged; set it to on for this user",
      { synchronousCommit: waits },
    );
  }
  if (encoding !== "UTF8") {
    throw unsuitable(`its encoding is ${encoding}; use a database in UTF8`, { encoding });
  }
  if (isolation !== "read committed") {
    throw unsuitable(
      `default_transaction_isolation is "${isolation}"; set it to "read committed" for this user`,
      { isolation },
    );
  }
}

/**
 * What an acknowledged write survives: the loss of a machine when commits wait for standbys, as `synchronous_standby_names` says they
 * do; of power when they wait for the disk.
 */
export function durabilityOf({
  waits,
  standbys,
  syncs,
}: ServerSettings): StoreCapabilities["durability"] {
  if (syncs === "off") return "process-crash";
  return standbys.trim() !== "" && waits !== "local" ? "replicated" : "power-loss";
}

export function unsuitable(reason: string, details: Record<string, unknown>): TurnkeepError {
  return new TurnkeepError("FAILED_PRECONDITION", `This server cannot keep sessions: ${reason}.`, {
    reason: "STORE_UNSUITABLE",
    details,
  });
}
