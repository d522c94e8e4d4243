import { MemoryStore } from "turnkeep/stores/memory";
import type { Place } from "./place.ts";

/** Its data is the store's own, so that every store opened on it is the same one. */
export async function memoryPlace(): Promise<Place> {
  let store: MemoryStore | undefined;
  return {
    open: async (options) => (store ??= new MemoryStore(options)),
    remove: async () => {},
  };
}
