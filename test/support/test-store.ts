import { runCase, storeContract, type StoreTools } from "turnkeep/testing";
import { describe, it } from "vitest";

/** Runs the store contract against a driver. */
export function testStore(name: string, tools: StoreTools): void {
  describe(`${name} keeps the store contract`, () => {
    for (const contractCase of storeContract) {
      it(contractCase.name, async ({ skip }) => {
        if ((await runCase(contractCase, tools)) === "skipped") skip(`${name} does not claim it`);
      });
    }
  });
}
