import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createTestPlace, TEST_PLACES } from "../support/places/test-places.ts";
import { playCase } from "./play-case.ts";
import { type ListedCase, readSpec } from "./read-spec.ts";
import { OWN_SPEC, SHARED_SPEC } from "./spec-files.ts";

const isShared = existsSync(SHARED_SPEC);
const sharedCases = isShared ? casesOf(SHARED_SPEC) : [];

test.skipIf(!isShared)(
  `the shared cases come from ${SHARED_SPEC}; where that file is not, they are skipped and only our own are run`,
  () => {
    expect(sharedCases).not.toHaveLength(0);
  },
);

describe.each(TEST_PLACES)("over %s", (store) => {
  for (const listed of [...casesOf(OWN_SPEC), ...sharedCases]) {
    test(listed.name, async () => {
      expect(await playCase(listed, () => createTestPlace(store))).toEqual([]);
    });
  }
});

function casesOf(file: string): readonly ListedCase[] {
  return readSpec(readFileSync(file, "utf8"));
}
