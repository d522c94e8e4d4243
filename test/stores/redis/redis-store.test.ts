import { afterAll, describe, inject } from "vitest";
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

describe.skipIf(inject("redisUrl") === "")("one server", () => {
  testStore("redis", {
    create: async () => {
      const place = await redisPlace(inject("redisUrl"));
      places.push(place);
      return openAt(place);
    },
    reopen: (store) => openAt(placeOf.get(store) as Place),
  });
});

afterAll(() => Promise.all(places.map((place) => place.remove())));
