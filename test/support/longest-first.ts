import { BaseSequencer, type TestSpecification } from "vitest/node";

// What takes longest, longest first: begun last, it would be waited for alone.
const LONG = [
  "ledger/model/model",
  "chaos/kill",
  "chaos/workers",
  "races/failing-writes",
  "mutants/mutants",
  "workers/processes",
  "studio/people",
  "studio/killed",
];
// A worker goes on to the next file only within its project.
const PROJECTS = ["browser", "alone", "shared"];

/** Begins with the long files, and lets workers stay in one project for as long as they can. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId, project }: TestSpecification): number {
  const long = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return long >= 0 ? long : LONG.length + PROJECTS.indexOf(project.name);
}
