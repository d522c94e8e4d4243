import { type StoreCapabilities, TurnkeepError } from "../../ledger/index.ts";
import type { RedisNodeOptions } from "./redis-client.ts";
import type { ServerFacts } from "./server-facts.ts";

type Durability = StoreCapabilities["durability"];

export interface ServerDemands {
  /** Nothing has to survive. */
  readonly ephemeral: boolean;
  /** Anybody may be let in. */
  readonly insecure: boolean;
  /** What the caller says of a server that does not say it itself. */
  readonly durability: Exclude<Durability, "none"> | undefined;
  readonly isCluster: boolean;
}

const OLDEST_MAJOR = 7;
const LOOPBACK = /^(localhost|127\.[0-9.]+|::1|::ffff:127\.[0-9.]+)$/i;

/**
 * What an acknowledged write on this server survives.
 *
 * @throws TurnkeepError FAILED_PRECONDITION with reason STORE_UNSUITABLE when the server cannot keep sessions as demanded.
 */
export function checkServer(
  facts: ServerFacts,
  address: RedisNodeOptions,
  demands: ServerDemands,
): Durability {
  checkKind(facts, demands);
  if (facts.isOpenToAll && !demands.insecure && !isLoopback(address)) {
    throw unsuitable(
      `its default user needs no password, and it is not on this machine. Set one ("CONFIG SET requirepass …", or an ACL user) and put it into the url, or pass insecure: true.`,
    );
  }
  return demands.ephemeral ? "none" : findDurability(facts, demands);
}

function checkKind({ version, isPrimary, isClustered }: ServerFacts, demands: ServerDemands): void {
  if (Number.parseInt(version, 10) < OLDEST_MAJOR) {
    throw unsuitable(`it is version ${version}; use ${OLDEST_MAJOR} or newer, or Valkey.`);
  }
  if (!isPrimary) throw unsuitable("it is a replica; connect to the primary.");
  if (isClustered && !demands.isCluster) {
    throw unsuitable(
      `it is part of a cluster; pass client: new Cluster([…]) of ioredis instead of a url or a plain client.`,
    );
  }
}

function findDurability(
  { evictionPolicy, writesLog, logSync }: ServerFacts,
  { durability }: ServerDemands,
): Durability {
  if (evictionPolicy !== "noeviction") {
    throw unsuitable(
      `maxmemory-policy is "${evictionPolicy}", so it drops sessions when memory runs short. Run "CONFIG SET maxmemory-policy noeviction", or pass ephemeral: true.`,
    );
  }
  if (logSync === undefined) {
    if (durability !== undefined) return durability;
    throw unsuitable(
      `it does not let CONFIG be read. Say what its acknowledged writes survive: durability: "process-crash", "power-loss" or "replicated".`,
    );
  }
  if (!writesLog) {
    throw unsuitable(
      `it forgets acknowledged writes when it stops. Run "CONFIG SET appendonly yes", or pass ephemeral: true.`,
    );
  }
  return logSync === "always" ? "power-loss" : "process-crash";
}

// Where sentinels lead is for them to say, and `host` is not it.
function isLoopback({ host, path, sentinels }: RedisNodeOptions): boolean {
  if (sentinels) return false;
  return Boolean(path) || LOOPBACK.test(host ?? "");
}

function unsuitable(message: string): TurnkeepError {
  return new TurnkeepError("FAILED_PRECONDITION", `This Redis cannot keep sessions: ${message}`, {
    reason: "STORE_UNSUITABLE",
  });
}
