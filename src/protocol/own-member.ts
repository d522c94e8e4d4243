import type { Json, JsonObject } from "./json.ts";

type WritableObject = { [key: string]: Json | undefined };

/** The object's own member; what it inherits counts as absent. */
export function ownMember(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets the object's own member, whatever the key. */
export function setOwnMember(object: WritableObject, key: string, value: Json): void {
  if (Object.hasOwn(object, key) || !(key in object)) {
    object[key] = value;
    return;
  }
  // Assigning to an inherited name could run a setter (`__proto__`) or be refused by a frozen prototype.
  Object.defineProperty(object, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
