import type { Environment, MissingService } from "./services-start.ts";

/**
 * Says loudly that tests will be skipped for want of a server.
 * @throws when `CI` is set: there, a run that proves less than it seems to is a failed run.
 */
export function reportMissing(
  missing: readonly MissingService[],
  environment: Environment = process.env,
): void {
  if (missing.length === 0) return;
  const text = banner(missing);
  if (isContinuousIntegration(environment)) throw new Error(text);
  console.error(text);
}

function isContinuousIntegration({ CI }: Environment): boolean {
  return CI !== undefined && CI !== "" && CI !== "false";
}

function banner(missing: readonly MissingService[]): string {
  const line = "=".repeat(78);
  const reasons = missing.map(({ name, reason }) => `  ${name}: ${reason}`);
  return [
    "",
    line,
    "  SERVERS ARE MISSING. Tests that need them are skipped: this run does not",
    "  prove what they prove.",
    ...reasons,
    "  Install them, or set TEST_DATABASE_URL and TEST_REDIS_URL.",
    line,
    "",
  ].join("\n");
}
