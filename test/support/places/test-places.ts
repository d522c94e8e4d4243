import { postgresUrl } from "../postgres-url.ts";
import { redisUrl } from "../redis-url.ts";
import { PLACE_NAMES, type PlaceName, PLACES } from "./places.ts";

const URLS = { postgres: postgresUrl, redis: redisUrl };

/** The places to test on: all but those whose server is missing, which the run says. Whoever needs one alone imports test-place.ts. */
export const TEST_PLACES: readonly PlaceName[] = PLACE_NAMES.filter((name) => {
  const { service } = PLACES[name];
  return service === undefined || URLS[service] !== "";
});

export { createTestPlace, testPlace, testStoreOn } from "./test-place.ts";
