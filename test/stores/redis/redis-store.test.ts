import { afterAll, describe } from "vitest";
import { redisUrl } from "../../support/redis-url.ts";
import type { Place } from "../../support/places/place.ts";
import { redisPlace } from "../../support/places/redis-place.ts";
import { testStore } from "../../support/test-store.ts";

const places: Place[] = [];
const placeOf = new WeakMap<object, Place>();

async function openAt(place: Place): ReturnType<Place["open"]> {
  const store = await place.open();
  placeOf.set(store, place);
  return store;
}

describe.skipIf(redisUrl === "")("one server", () => {
  testStore("redis", {
    create: async () => {
      const place = await redisPlace(redisUrl);
      places.push(place);
      return openAt(place);
    },
    reopen: (store) => openAt(placeOf.get(store) as Place),
  });
});

afterAll(() => Promise.all(places.map((place) => place.remove())));
