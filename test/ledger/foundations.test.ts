import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../src/ledger/canonical-text.ts";
import { changeOfList, followRecipe } from "../../src/ledger/list-recipe.ts";
import { RecentlyUsed } from "../../src/ledger/recently-used.ts";
import { hashText, portableHash } from "../../src/ledger/sha256.ts";
import { SortableIds } from "../../src/ledger/sortable-ids.ts";
import { systemTimers } from "../../src/ledger/system-ports.ts";
import { TURN_PHASES } from "../../src/ledger/turn-phase.ts";
import { freezeJson } from "../../src/ledger/freeze-json.ts";

describe("hashes", () => {
  it("are the first 128 bits of SHA-256, with and without Node", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const reference = createHash("sha256")
          .update(text)
          .digest()
          .subarray(0, 16)
          .toString("base64url");
        expect(hashText(text)).toBe(reference);
        expect(portableHash(text)).toBe(reference);
      }),
      { numRuns: 2000 },
    );
  });

  it("of canonical text are equal exactly for equal values", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const shuffled = reversed(left);
        expect(canonicalText(freezeJson(left as never))).toBe(
          canonicalText(freezeJson(shuffled as never)),
        );
        const same =
          canonicalText(freezeJson(left as never)) === canonicalText(freezeJson(right as never));
        expect(same).toBe(JSON.stringify(sorted(left)) === JSON.stringify(sorted(right)));
      }),
      { numRuns: 2000 },
    );
  });

  it("of large values depend on every part", () => {
    const large = (last: string): object => ({
      list: Array.from({ length: 500 }, (_, n) => ({ n, text: "x".repeat(20) })),
      last,
    });
    expect(canonicalText(freezeJson(large("a")) as never)).not.toBe(
      canonicalText(freezeJson(large("b")) as never),
    );
    expect(canonicalText(freezeJson(large("a")) as never)).toBe(
      canonicalText(freezeJson(large("a")) as never),
    );
  });
});

describe("list recipes", () => {
  it("always lead from the one list to the other", () => {
    const list = fc.array(
      fc.constantFrom("a", "b", "c", "d", "e", "f").map((letter) => ({ letter })),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(list, list, (before, after) => {
        const { recipe, added, dropped } = changeOfList(before, after);
        expect(followRecipe(before, recipe)).toEqual(after);
        expect(before.length - dropped.length + added.length).toBe(after.length);
      }),
      { numRuns: 5000 },
    );
  });

  it("refuse to take what is not there", () => {
    expect(() => followRecipe([1], [{ take: [0, 2] }])).toThrow(RangeError);
    expect(() => followRecipe([1], [{ take: [-1, 1] }])).toThrow(RangeError);
  });
});

describe("ids", () => {
  it("rise, also within a millisecond and when the clock steps back", () => {
    const times = [5, 5, 5, 4, 3, 6, 6, 1];
    let at = 0;
    const ids = new SortableIds({ now: () => times[at++ % times.length]! }, (bytes) =>
      bytes.fill(255),
    );
    const made = Array.from({ length: 1000 }, ids.next);
    expect(made).toEqual(made.toSorted());
    expect(new Set(made).size).toBe(1000);
    expect(made.every((id) => /^[0-9a-z]{26}$/.test(id))).toBe(true);
  });
});

describe("what was used recently", () => {
  it("is kept up to a weight, the oldest going first", () => {
    const cache = new RecentlyUsed<string>(10);
    cache.set("a", "A", 4);
    cache.set("b", "B", 4);
    expect(cache.get("a")).toBe("A");
    cache.set("c", "C", 4);
    expect(cache.get("b")).toBeUndefined();
    expect([cache.get("a"), cache.get("c")]).toEqual(["A", "C"]);
    cache.set("huge", "H", 11);
    expect(cache.get("huge")).toBeUndefined();
  });
});

describe("sleeping", () => {
  it("ends with the signal's own reason", async () => {
    const reason = new Error("enough");
    const controller = new AbortController();
    const asleep = systemTimers.sleep(60_000, { signal: controller.signal });
    controller.abort(reason);
    await expect(asleep).rejects.toBe(reason);
    await expect(systemTimers.sleep(1, { signal: controller.signal })).rejects.toBe(reason);
    await systemTimers.sleep(1);
  });
});

describe("the phases of a turn", () => {
  it("never leave the end", () => {
    expect(Object.values(TURN_PHASES.ended).every((next) => next === null)).toBe(true);
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? 0 : value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return { entries: entries.map(([key, member]) => [key, sorted(member)]) };
}
