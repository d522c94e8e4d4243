import { isDeepStrictEqual } from "node:util";
import { TurnkeepError } from "turnkeep";
import { describe, expect, it } from "vitest";
import { TEST_PLACES, testPlace } from "../support/places/test-places.ts";
import { ODD_VALUES } from "./odd-values.ts";
import { type Bench, openBench, WAYS_IN, type WayIn } from "./ways-in.ts";

// What may become of a value. "as JSON": a date as its text, −0 as 0. "as text": an error message that is no text, or that is clipped.
const ALLOWED = ["exact", "as text", "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"];
const AS_JSON = ["-0", "Date"];

const VALUES = Object.keys(ODD_VALUES);
const WAYS = Object.keys(WAYS_IN);

/** By way, then by value. */
type Outcomes = Readonly<Record<string, Readonly<Record<string, string>>>>;

const outcomes = new Map<string, Outcomes>();

describe("every odd value, by every way in", () => {
  it.each(TEST_PLACES)("comes back or is refused with a typed error by %s", async (name) => {
    const place = await testPlace(name);
    const bench = await openBench(place.open);
    try {
      const all: Record<string, Record<string, string>> = {};
      for (const [way, put] of Object.entries(WAYS_IN)) {
        all[way] = {};
        for (const [kind, value] of Object.entries(ODD_VALUES))
          all[way][kind] = await outcomeOf(bench, way, put, value);
      }
      outcomes.set(name, all);
      const wrong = cells(all).filter(({ kind, outcome }) => !isAllowed(kind, outcome));
      expect(wrong).toEqual([]);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    } finally {
      await Promise.all([bench.agent.close(), bench.other.close()]);
    }
  });

  it("has the same outcome on every store", () => {
    const [first, ...others] = [...outcomes.values()];
    console.log(tableOf(first ?? {}));
    for (const other of others) expect(other).toEqual(first);
  });
});

async function outcomeOf(bench: Bench, way: string, put: WayIn, value: unknown): Promise<string> {
  try {
    const got = await put(bench, value as never);
    if (isDeepStrictEqual(got, value)) return "exact";
    if (way === "error message") return isTextOf(got, value) ? "as text" : "CHANGED";
    return isDeepStrictEqual(got, JSON.parse(JSON.stringify(value))) ? "as JSON" : "CHANGED";
  } catch (error) {
    return TurnkeepError.is(error) ? error.status : `untyped: ${String(error)}`;
  }
}

function isAllowed(kind: string, outcome: string): boolean {
  return outcome === "as JSON" ? AS_JSON.includes(kind) : ALLOWED.includes(outcome);
}

function isTextOf(got: unknown, value: unknown): boolean {
  const text = String(value);
  return got === text || got === `${text.slice(0, 100_000)}… (${text.length} characters)`;
}

function cells(
  all: Outcomes,
): readonly { readonly way: string; readonly kind: string; readonly outcome: string }[] {
  return WAYS.flatMap((way) =>
    VALUES.map((kind) => ({ way, kind, outcome: all[way]?.[kind] ?? "" })),
  );
}

const SHORT: Readonly<Record<string, string>> = {
  exact: "exact",
  "as JSON": "JSON",
  "as text": "text",
  INVALID_ARGUMENT: "invalid",
  RESOURCE_EXHAUSTED: "limit",
};

// The same on all stores, so that one table tells of all.
function tableOf(all: Outcomes): string {
  const heads = ["value", ...WAYS];
  const rows = VALUES.map((kind) => [
    kind,
    ...WAYS.map((way) => SHORT[all[way]?.[kind] ?? ""] ?? "?"),
  ]);
  return [heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
