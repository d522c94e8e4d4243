import { openPlace } from "../../support/places/open-place.mjs";

/** Opens the store that a place's settings name, in the process of a worker. */
export async function openStore(settings) {
  for (;;) {
    try {
      return await openPlace(settings);
    } catch (error) {
      // A neighbour that was frozen while it held the file's lock keeps it until it thaws.
      if (error.retryable !== true) throw error;
    }
  }
}
