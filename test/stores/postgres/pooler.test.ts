import { openPostgresStore, type PostgresStore } from "turnkeep/stores/postgres";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { reportMissing } from "../../support/services-missing.ts";
import { startPgbouncer } from "../../support/services-pgbouncer.ts";
import type { RunningService } from "../../support/services-start.ts";
import { testStore } from "../../support/test-store.ts";
import { newSchema, openStore, URL_OF_SERVER } from "./database.ts";

async function startPooler(): Promise<RunningService | undefined> {
  if (URL_OF_SERVER === "") return undefined;
  try {
    return await startPgbouncer(URL_OF_SERVER);
  } catch (error) {
    reportMissing([{ name: "pgbouncer", reason: String(error) }]);
    return undefined;
  }
}

const pooler = await startPooler();
const connectionString = pooler?.url ?? "";
const schemas = new WeakMap<object, string>();

afterAll(() => pooler?.stop());

async function openAt(schema: string): Promise<PostgresStore> {
  const store = await openStore({ connectionString, schema, listen: false });
  schemas.set(store, schema);
  return store;
}

describe.skipIf(pooler === undefined)("behind a pooler that shares connections", () => {
  testStore("postgres behind pgbouncer", {
    create: () => openAt(newSchema()),
    reopen: (store) => openAt(schemas.get(store) ?? ""),
  });

  it("eight stores that open at once migrate once", async () => {
    const schema = newSchema();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openAt(schema)));
    expect(stores).toHaveLength(8);
  });

  it("a store that would listen says what to do", async () => {
    const opening = openPostgresStore({ connectionString, schema: newSchema() });
    onTestFinished(async () => {
      await opening.then(
        (store) => store.close(),
        () => {},
      );
    });
    await expect(opening).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
      reason: "STORE_UNSUITABLE",
      message: expect.stringContaining("listen: false"),
    });
  });
});
