import type { JsonObject } from "../protocol/index.ts";

/** What several turns used up: the sum of each number that any of them names. */
export function sumUsage(usages: readonly (JsonObject | undefined)[]): Record<string, number> {
  const total = new Map<string, number>();
  for (const usage of usages) {
    for (const [name, value] of Object.entries(usage ?? {})) {
      if (typeof value === "number") total.set(name, (total.get(name) ?? 0) + value);
    }
  }
  return Object.fromEntries(total);
}
