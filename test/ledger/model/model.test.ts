import { describe, expect, it } from "vitest";
import { TEST_PLACES, testPlace } from "../../support/places/test-places.ts";
import { checkHistories } from "./check-histories.ts";

const HISTORIES = 10_000;
// On the real stores as many as fit.
const FEWER_HISTORIES = 1000;
const FEWEST_HISTORIES = 40;
const WITHIN_MS = 15_000;

it(`holds every invariant over ${HISTORIES} random concurrent histories`, async () => {
  const { histories, commits, conflicts, kinds } = await checkHistories({ runs: HISTORIES });
  console.log(JSON.stringify({ test: "model", store: "memory", histories, commits, conflicts }));
  expect(histories).toBe(HISTORIES);
  // A run in which hardly anything met would prove nothing.
  expect(conflicts).toBeGreaterThan(HISTORIES / 4);
  for (const kind of [
    "finish:fenced",
    "finish:stopped",
    "finish:unsaved",
    "finish:extended",
    "advance:advanced",
    "end:saved",
    "end:moved",
    "claim:gave-up",
    "abort:aborted",
    "remove:removed",
    "edit:branched",
    "edit:busy",
  ]) {
    expect(kinds[kind], kind).toBeGreaterThan(0);
  }
}, 180_000);

describe.each(TEST_PLACES.filter((name) => name !== "memory"))("on the %s store", (store) => {
  it(`holds every invariant over as many as ${WITHIN_MS / 1000} s allow`, async () => {
    const { open } = await testPlace(store);
    const options = { runs: FEWER_HISTORIES, open, withinMs: WITHIN_MS };
    const { histories, commits, conflicts } = await checkHistories(options);
    console.log(JSON.stringify({ test: "model", store, histories, commits, conflicts }));
    expect(histories).toBeGreaterThanOrEqual(FEWEST_HISTORIES);
    expect(conflicts).toBeGreaterThan(histories / 4);
  });
});
