import type { StoreCapabilities } from "../../ledger/index.ts";
import { checkServer } from "./check-server.ts";
import { isCluster, primariesOf } from "./redis-client.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisScript } from "./redis-script.ts";
import type { RedisStoreOptions } from "./redis-store-options.ts";
import { readServerFacts } from "./server-facts.ts";
import { toStoreError } from "./to-store-error.ts";

type Durability = StoreCapabilities["durability"];

const WEAKEST_FIRST: readonly Durability[] = ["none", "process-crash", "power-loss", "replicated"];

/**
 * Checks every server that is written to. Of a cluster, the weakest counts.
 *
 * @throws TurnkeepError when one is away, or cannot keep sessions.
 */
export async function inspectServers(
  connection: RedisConnection,
  { ephemeral = false, insecure = false, durability }: RedisStoreOptions,
): Promise<Durability> {
  const { client } = connection;
  // A cluster's client knows its servers once it has asked something.
  await connection.call("ping", []);
  const demands = { ephemeral, insecure, durability, isCluster: isCluster(client) };
  try {
    const found = await Promise.all(
      primariesOf(client).map(async (node) => {
        const facts = await readServerFacts(
          (command, values) => connection.ask(node, command, values),
          Boolean(node.options.password),
        );
        return checkServer(facts, node.options, demands);
      }),
    );
    return WEAKEST_FIRST.find((each) => found.includes(each)) ?? "none";
  } catch (error) {
    throw toStoreError(error);
  }
}

/**
 * Makes the scripts known to every server that is written to, so that they can be called by their hashes.
 *
 * @throws TurnkeepError when a server is away, or does not allow scripts.
 */
export async function teachScripts(
  connection: RedisConnection,
  scripts: readonly RedisScript[],
): Promise<void> {
  const loads = primariesOf(connection.client).flatMap((node) =>
    scripts.map(({ source }) => connection.ask(node, "script", ["load", source])),
  );
  try {
    await Promise.all(loads);
  } catch (error) {
    throw toStoreError(error);
  }
}
