import { MemoryStore } from "turnkeep/stores/memory";
import { runContract, storeContract } from "turnkeep/testing";
import { describe, expect, it } from "vitest";
import { FAULTY_STORES } from "./faulty-stores.ts";

it("finds nothing wrong with a good store, and tells what it skipped", async () => {
  const report = await runContract(storeContract, { create: async () => new MemoryStore() });
  expect(report.failures).toEqual([]);
  expect(report.passed + report.skipped.length).toBe(storeContract.length);
  expect(report.skipped.length).toBeGreaterThan(0);
});

it("has a different name for each case", () => {
  expect(new Set(storeContract.map(({ name }) => name)).size).toBe(storeContract.length);
});

describe("notices a store that", () => {
  for (const [fault, { caught, make }] of Object.entries(FAULTY_STORES)) {
    it(fault, async () => {
      const cases = storeContract.filter(({ name }) => name.startsWith(caught));
      const { failures } = await runContract(cases, { create: async () => make() });
      expect(failures.length).toBeGreaterThan(0);
    });
  }
});
