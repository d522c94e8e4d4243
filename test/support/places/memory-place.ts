import { MemoryStore } from "turnkeep/stores/memory";
import type { Place } from "./place.ts";

export async function memoryPlace(): Promise<Place> {
  return { open: async (options) => new MemoryStore(options), remove: async () => {} };
}
