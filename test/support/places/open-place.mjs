// Opens the data of a place in another process: plain JavaScript on the built package, so that it starts fast.

const OPENERS = {
  sqlite: async ({ path }) => {
    const { openSqliteStore } = await import("../../../dist/stores/sqlite/index.js");
    return await openSqliteStore(path);
  },
  file: async ({ path }) => {
    const { openFileStore } = await import("../../../dist/stores/file/index.js");
    return await openFileStore(path);
  },
  postgres: async ({ url, schema }) => {
    const { openPostgresStore } = await import("../../../dist/stores/postgres/index.js");
    return await openPostgresStore({ connectionString: url, schema });
  },
  redis: async ({ url, prefix }) => {
    const { openRedisStore } = await import("../../../dist/stores/redis/index.js");
    return await openRedisStore({ url, prefix });
  },
};

/** The store that the settings of a place describe. */
export async function openPlace(settings) {
  const open = OPENERS[settings.kind];
  if (open === undefined) throw new Error(`No process can open a place of kind ${settings.kind}.`);
  return await open(settings);
}
