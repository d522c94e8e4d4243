import { expect, test } from "vitest";
import { compare } from "../../bench/beside/compare.ts";
import { comparison } from "../../bench/beside/turn.ts";

test("a comparison measures whom it can and says of the others why not", async () => {
  const told: string[] = [];
  const report = await compare(
    {
      ...comparison,
      quickSizes: [0],
      subjects: ["turnkeep", "nobody"].map((contender) => ({ contender, store: "memory" })),
      secondsEach: 600,
    },
    { isQuick: true, tell: (progress) => told.push(progress) },
  );
  const [ours, nobody] = report.rows;
  expect(ours?.absent).toBeUndefined();
  expect(ours?.values?.["cpuMs"]?.median).toBeGreaterThan(0);
  expect(nobody).toEqual({
    subject: "nobody",
    size: 0,
    absent: 'not installed: Error: There is no contender "nobody".',
  });
  expect(Object.keys(report.versions)).toEqual(["turnkeep"]);
  expect(told).toHaveLength(1);
});
