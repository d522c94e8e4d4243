import { expect, it } from "vitest";
import { SharedReads } from "../../src/ledger/shared-reads.ts";

it("those who read the same at the same time read it once, and later ones anew", async () => {
  const reads = new SharedReads<object>();
  let count = 0;
  const read = async (): Promise<object> => {
    count += 1;
    return {};
  };
  const [one, same, other] = await Promise.all([
    reads.share("a", read),
    reads.share("a", read),
    reads.share("b", read),
  ]);
  expect([count, one === same, one === other]).toEqual([2, true, false]);
  expect(await reads.share("a", read)).not.toBe(one);
});

it("a read that failed is tried anew", async () => {
  const reads = new SharedReads<string>();
  await expect(reads.share("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  await expect(reads.share("a", async () => "there")).resolves.toBe("there");
});
