import { afterAll } from "vitest";

const removals: (() => Promise<void> | void)[] = [];

/** Has something done when the tests of the file are over; what came last goes first. */
export function whenOver(remove: () => Promise<void> | void): void {
  removals.push(remove);
}

afterAll(async () => {
  for (const remove of removals.splice(0).toReversed()) await remove();
});
