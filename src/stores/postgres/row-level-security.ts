import { ask, changeSchema } from "./migrate.ts";
import type { PostgresClient } from "./postgres-pool.ts";
import { unsuitable } from "./server-settings.ts";

const TABLES = ["sessions", "session_rows", "lasting_rows", "short_rows"];

/**
 * Switches the policies on that came with the tables. Forced, so that they bind the owner of the tables as well: most often that is the
 * very user the store signs in as. For the same reason `due_sessions` is no function that runs with its owner's rights; it has a policy
 * of its own, which it and `readNames` alone open, and which give out nothing but the names of sessions.
 *
 * @throws TurnkeepError FAILED_PRECONDITION when the user is one whom policies do not bind.
 */
export async function enforceRowLevelSecurity(
  client: PostgresClient,
  schema: string,
): Promise<void> {
  if (!(await isForced(client, schema))) {
    await changeSchema(client, schema, async () => {
      for (const table of TABLES) {
        await ask(
          client,
          `alter table "${schema}".${table} enable row level security, force row level security`,
        );
      }
    });
  }
  const [found] = await ask(client, "select row_security_active($1)::text as active", [
    `"${schema}".sessions`,
  ]);
  if ((found as { active: string }).active === "true") return;
  throw unsuitable(
    "row-level security does not bind its user; sign in as one that is neither a superuser nor has BYPASSRLS",
    { schema },
  );
}

async function isForced(client: PostgresClient, schema: string): Promise<boolean> {
  const [found] = await ask(
    client,
    `select count(*)::text as open from pg_class
      where relnamespace = to_regnamespace($1) and relname = any($2)
        and not (relrowsecurity and relforcerowsecurity)`,
    [`"${schema}"`, TABLES],
  );
  return (found as { open: string }).open === "0";
}
