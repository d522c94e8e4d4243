import { ask } from "./migrate.ts";
import type { PostgresClient, PostgresValue } from "./postgres-pool.ts";

// With row-level security, a policy lets names of all tenants be read for as long as this is set.
const CROSS_TENANTS = "select set_config('turnkeep.scan', 'due', true)";

/** Names of sessions of all tenants, behind the given one. */
export async function readNames(
  client: PostgresClient,
  schema: string,
  afterAndLimit: PostgresValue[],
): Promise<readonly unknown[]> {
  await ask(client, "begin");
  try {
    await ask(client, CROSS_TENANTS);
    const rows = await ask(
      client,
      `select tenant, agent, name from "${schema}".sessions
        where deleted_at is null and (tenant, agent, name) > ($1, $2, $3)
        order by tenant, agent, name limit $4`,
      afterAndLimit,
    );
    await ask(client, "commit");
    return rows;
  } catch (error) {
    // On a connection that is gone there is nothing left to undo.
    await ask(client, "rollback").catch(() => {});
    throw error;
  }
}
