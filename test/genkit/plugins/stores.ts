import type { Place } from "../../support/places/place.ts";
import { testPlace } from "../../support/places/test-place.ts";

/** Places that any number of stores can be opened on, as several machines would. */
export const STORES: readonly (readonly [name: string, place: () => Promise<Place>])[] = [
  ["memory", () => testPlace("memory")],
  ["sqlite", sqlitePlace],
];

export async function sqlitePlace(): Promise<Place> {
  return await testPlace("sqlite");
}
