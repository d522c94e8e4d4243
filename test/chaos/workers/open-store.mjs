import { openSqliteStore } from "../../../dist/stores/sqlite/index.js";

/** Opens the store that a place's settings name, in the process of a worker. A store of another kind adds its line here. */
export async function openStore(settings) {
  const open = { sqlite: ({ path }) => openSqliteStore(path) }[settings.kind];
  if (open === undefined) throw new Error(`Workers cannot open a store of kind ${settings.kind}.`);
  for (;;) {
    try {
      return await open(settings);
    } catch (error) {
      // A neighbour that was frozen while it held the file's lock keeps it until it thaws.
      if (error.retryable !== true) throw error;
    }
  }
}
