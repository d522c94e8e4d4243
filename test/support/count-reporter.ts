import type { Reporter, SerializedError, TestModule } from "vitest/node";

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Ends a test run with `N passed, N failed` alone on the last line, for machines to read. */
export default class CountReporter implements Reporter {
  // Until a run has ended there is nothing to be proud of: setup may throw before the first test.
  #counts: Counts = { passed: 0, failed: 1, skipped: 0 };

  onInit(): void {
    // Other reporters, and Vitest itself, print until the very end.
    process.once("exit", (code) => {
      process.stdout.write(`${summaryOf(this.#counts, code)}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const count = (state: string): number => states.filter((each) => each === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    this.#counts = {
      passed: count("passed"),
      failed: count("failed") + broken + unhandledErrors.length,
      skipped: count("skipped"),
    };
  }
}

function summaryOf({ passed, failed, skipped }: Counts, exitCode: number): string {
  // A run that fails must never read as one without failures.
  const failures = exitCode === 0 ? failed : Math.max(failed, 1);
  const line = `${passed} passed, ${failures} failed`;
  return skipped === 0 ? line : `${line}, ${skipped} skipped`;
}
