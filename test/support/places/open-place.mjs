// Opens the data of a place in another process: plain JavaScript on the built package, so that it starts fast.

const OPENERS = {
  sqlite: async ({ path }) => {
    const { openSqliteStore } = await import("../../../dist/stores/sqlite/index.js");
    return await openSqliteStore(path);
  },
};

/** The store that the settings of a place describe. */
export async function openPlace(settings) {
  const open = OPENERS[settings.kind];
  if (open === undefined) throw new Error(`No process can open a place of kind ${settings.kind}.`);
  return await open(settings);
}
