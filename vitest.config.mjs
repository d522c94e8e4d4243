import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["@turnkeep/source"] },
  ssr: { resolve: { conditions: ["@turnkeep/source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    typecheck: { enabled: true, include: ["test/**/*.test-d.ts"], tsconfig: "./tsconfig.json" },
    globalSetup: ["./test/support/services.ts"],
    reporters: ["default", "./test/support/count-reporter.ts"],
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
