import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

const source = {
  resolve: { conditions: ["@turnkeep/source"] },
  ssr: { resolve: { conditions: ["@turnkeep/source"] } },
};

const each = {
  setupFiles: ["./test/support/file-setup.ts"],
  // So long that only what never comes is late: whoever waits waits for an event.
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { interval: 10, timeout: 100_000 } },
};

// Files that take over what a process has once: the place where OpenTelemetry puts its spans, the timers, or the document.
const ALONE = [
  "test/agent/spans.test.ts",
  "test/agent/telemetry.test.ts",
  "test/client/react.test.ts",
  "test/genkit/registry/tracing.test.ts",
  "test/reflection/{docs,genkit,light-tracer,span-tokens,traces}.test.ts",
  "test/stores/file/poll-interval.test.ts",
];
// Files that talk to a browser. They take that place over as well, all of them in the same way.
const BROWSER = ["test/browser/**/*.test.ts", "test/studio/**/*.test.ts"];

export default defineConfig({
  ...source,
  test: {
    globalSetup: ["./test/support/global-setup.ts"],
    reporters: ["default", "./test/support/count-reporter.ts"],
    // Much of the work is done by other processes, and much of the time is spent waiting for them.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      { ...source, test: { ...each, name: "alone", include: ALONE } },
      { ...source, test: { ...each, name: "browser", include: BROWSER, isolate: false } },
      {
        ...source,
        test: {
          ...each,
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [...ALONE, ...BROWSER],
          // Most files need the same modules; to load them once a file took a minute.
          isolate: false,
          typecheck: {
            enabled: true,
            include: ["test/**/*.test-d.ts"],
            tsconfig: "./tsconfig.json",
          },
        },
      },
    ],
  },
});
