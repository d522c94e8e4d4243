import type { PostgresStore } from "turnkeep/stores/postgres";
import { describe } from "vitest";
import { testStore } from "../../support/test-store.ts";
import { newSchema, openStore, URL_OF_SERVER } from "./database.ts";

const schemas = new WeakMap<object, string>();

async function openAt(schema: string, listen: boolean): Promise<PostgresStore> {
  const store = await openStore({ schema, listen });
  schemas.set(store, schema);
  return store;
}

describe.skipIf(URL_OF_SERVER === "")("with Postgres", () => {
  testStore("postgres", {
    create: () => openAt(newSchema(), true),
    reopen: (store) => openAt(schemas.get(store) ?? "", true),
  });
});
