import type { Reporter, SerializedError, TestModule } from "vitest/node";

interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** Why tests were skipped, and how many for each reason. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** Ends a test run with `N passed, N failed` alone on the last line, for machines to read. */
export default class CountReporter implements Reporter {
  // Until a run has ended there is nothing to be proud of: setup may throw before the first test.
  #outcome: Outcome = { passed: 0, failed: 1, skipped: new Map() };

  onInit(): void {
    // Other reporters, and Vitest itself, print until the very end.
    process.once("exit", (code) => {
      process.stdout.write(`${linesOf(this.#outcome, code).join("\n")}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const results = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result()),
    );
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const skipped = new Map<string, number>();
    for (const result of results) {
      // What was not asked for has no reason.
      if (result.state !== "skipped" || result.note === undefined) continue;
      skipped.set(result.note, (skipped.get(result.note) ?? 0) + 1);
    }
    this.#outcome = {
      passed: results.filter(({ state }) => state === "passed").length,
      failed:
        results.filter(({ state }) => state === "failed").length + broken + unhandledErrors.length,
      skipped,
    };
  }
}

function linesOf({ passed, failed, skipped }: Outcome, exitCode: number): readonly string[] {
  // A run that fails must never read as one without failures.
  const failures = exitCode === 0 ? failed : Math.max(failed, 1);
  const reasons = [...skipped].map(([reason, count]) => `${count} skipped: ${reason}`);
  return [...reasons, `${passed} passed, ${failures} failed`];
}
