import { onTestFinished } from "vitest";
import type { Clock, SessionStore } from "../../../src/ledger/index.ts";
import { askRun } from "../run-resources.ts";
import type { Place } from "./place.ts";
import { type PlaceName, PLACES } from "./places.ts";

type WhenOver = (undo: () => Promise<void>) => void;

/** A place for one test, or for as long as `whenOver` says: then its stores are closed and it is gone. */
export async function testPlace(
  name: PlaceName,
  whenOver: WhenOver = onTestFinished,
): Promise<Place> {
  const place = await createTestPlace(name);
  whenOver(place.remove);
  return {
    ...place,
    open: async (options) => {
      const store = await place.open(options);
      whenOver(() => store.close());
      return store;
    },
  };
}

/** A place that the caller removes. */
export async function createTestPlace(name: PlaceName): Promise<Place> {
  const { service, create } = PLACES[name];
  return await create(service === undefined ? "" : await askRun(service));
}

/** A store on a place of its own, for one test. */
export async function testStoreOn(
  name: PlaceName,
  options?: { readonly clock?: Clock },
): Promise<SessionStore> {
  const place = await testPlace(name);
  return await place.open(options);
}
