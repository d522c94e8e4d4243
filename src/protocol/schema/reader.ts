import type { Place } from "./place.ts";

/** Turns unknown input into a known shape, or refuses it, naming the place. */
export type Reader<Value> = (value: unknown, place: Place) => Value;
