import { arrayAt, checkLength, keysAt, objectAt, type Origin } from "./containers.ts";
import type { Place } from "./place.ts";

/** Refuses whatever is not JSON within the limits. An `undefined` member is absent. */
export function checkJson(value: unknown, place: Place, origin: Origin): void {
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return;
  if (typeof value === "string") checkLength(value, place);
  else if (typeof value === "object") checkContainer(value, place, origin);
  else place.refuse("JSON");
}

function checkContainer(value: object, place: Place, origin: Origin): void {
  const inside = place.inside();
  if (Array.isArray(value)) {
    // A plain loop: the array methods pass over holes.
    for (const item of arrayAt(value, place)) checkCounted(item, inside, origin);
    return;
  }
  const object = objectAt(value, place);
  for (const key of keysAt(object, place, origin)) {
    if (object[key] !== undefined) checkCounted(object[key], inside, origin);
  }
}

function checkCounted(value: unknown, place: Place, origin: Origin): void {
  place.count();
  checkJson(value, place, origin);
}
