import { expect, it } from "vitest";
import { checkHistories } from "./check-histories.ts";

const HISTORIES = 10_000;

it(`holds every invariant over ${HISTORIES} random concurrent histories`, async () => {
  const { histories, commits, conflicts, kinds } = await checkHistories({ runs: HISTORIES });
  console.log(JSON.stringify({ test: "model", histories, commits, conflicts }));
  expect(histories).toBe(HISTORIES);
  // A run in which hardly anything met would prove nothing.
  expect(conflicts).toBeGreaterThan(HISTORIES / 4);
  for (const kind of [
    "finish:fenced",
    "finish:stopped",
    "claim:gave-up",
    "abort:aborted",
    "remove:removed",
    "edit:branched",
    "edit:busy",
  ]) {
    expect(kinds[kind], kind).toBeGreaterThan(0);
  }
}, 180_000);
