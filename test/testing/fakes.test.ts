import { fakeClock, sequentialIds } from "turnkeep/testing";
import { expect, it } from "vitest";

it("a fake clock stands still until it is told", () => {
  const { now, advance, set } = fakeClock(5);
  expect(now()).toBe(5);
  advance(10);
  expect(now()).toBe(15);
  set(1);
  expect(now()).toBe(1);
});

it("sequential ids look like real ones and sort in the order they were made", () => {
  const ids = sequentialIds();
  const made = Array.from({ length: 100 }, () => ids.next());
  expect(new Set(made).size).toBe(100);
  expect(made.toSorted()).toEqual(made);
  for (const id of made) expect(id).toMatch(/^[0-9a-z]{26}$/);
});
