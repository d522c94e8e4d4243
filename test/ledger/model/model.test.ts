import { describe, expect, it } from "vitest";
import { TEST_PLACES, testPlace } from "../../support/places/test-places.ts";
import { checkHistories } from "./check-histories.ts";

const HISTORIES = 10_000;
// A real store takes longer. `npm run model` plays as many as it is told to.
const FEWER_HISTORIES = 300;

it(`holds every invariant over ${HISTORIES} random concurrent histories`, async () => {
  const { histories, commits, conflicts, kinds } = await checkHistories({ runs: HISTORIES });
  console.log(JSON.stringify({ test: "model", store: "memory", histories, commits, conflicts }));
  expect(histories).toBe(HISTORIES);
  // A run in which hardly anything met would prove nothing.
  expect(conflicts).toBeGreaterThan(0);
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
    "round:saved",
    "round:fenced",
  ]) {
    expect(kinds[kind], kind).toBeGreaterThan(0);
  }
}, 600_000);

describe.each(TEST_PLACES.filter((name) => name !== "memory"))("on the %s store", (store) => {
  it(`holds every invariant over ${FEWER_HISTORIES}`, async () => {
    const { open } = await testPlace(store);
    const { histories, commits, conflicts } = await checkHistories({ runs: FEWER_HISTORIES, open });
    console.log(JSON.stringify({ test: "model", store, histories, commits, conflicts }));
    expect(histories).toBe(FEWER_HISTORIES);
    expect(conflicts).toBeGreaterThan(0);
  });
});
