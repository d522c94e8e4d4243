import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { freezeNew } from "../../src/agent/freeze-new.ts";
import { updateCustom } from "../../src/agent/update-custom.ts";
import type { Json } from "../../src/protocol/index.ts";

type Cart = {
  customer: { name: string; city?: string };
  lines: { product: string; count: number }[];
};

const cart = (): Cart =>
  freezeNew({ customer: { name: "Ada" }, lines: [line("tea"), line("cup")] }, 0);
const line = (product: string, count = 1): Cart["lines"][number] => ({ product, count });

function bareObject<Members extends object>(members: Members): Members {
  return Object.assign(Object.create(null) as Members, members);
}

const anyCustom = fc
  .jsonValue()
  .filter((value) => !/"(__proto__|constructor|prototype)":/.test(JSON.stringify(value)));

describe("updating custom state", () => {
  test("takes changes to the draft and leaves the current state as it was", () => {
    const before = cart();
    const after = updateCustom(before, (draft) => {
      draft.lines[0]!.count = 3;
      draft.customer.city = "London";
    });
    expect(after).toEqual({
      customer: { name: "Ada", city: "London" },
      lines: [line("tea", 3), line("cup")],
    });
    expect(before).toEqual(cart());
  });

  test("shares what was left alone", () => {
    const before = cart();
    const after = updateCustom(before, (draft) => {
      draft.lines[1]!.count = 2;
    });
    expect(after.customer).toBe(before.customer);
    expect(after.lines[0]).toBe(before.lines[0]);
    expect(after.lines[1]).not.toBe(before.lines[1]);
  });

  test("gives the very same state when nothing was changed", () => {
    const before = cart();
    expect(updateCustom(before, () => {})).toBe(before);
    expect(updateCustom(before, (draft) => draft)).toBe(before);
    expect(
      updateCustom(before, (draft) => {
        draft.customer.name = "Ada";
      }),
    ).toBe(before);
  });

  test("takes a returned value", () => {
    const next: Cart = { customer: { name: "Eve" }, lines: [] };
    expect(updateCustom(cart(), () => next)).toEqual(next);
  });

  test("takes a returned value that is made of parts of the draft", () => {
    const before = cart();
    const after = updateCustom(before, (draft) => {
      draft.lines[0]!.count = 9;
      return { ...draft, customer: { name: "Eve" } };
    });
    expect(after).toEqual({ customer: { name: "Eve" }, lines: [line("tea", 9), line("cup")] });
    expect(after.lines[1]).toBe(before.lines[1]);
    expect(JSON.parse(JSON.stringify(after))).toEqual(after);
  });

  test("prefers a returned value to changes of the draft", () => {
    const after = updateCustom(cart(), (draft) => {
      draft.lines.push(line("forgotten"));
      return { customer: { name: "Eve" }, lines: [] };
    });
    expect(after).toEqual({ customer: { name: "Eve" }, lines: [] });
  });

  test("starts from nothing where there is no state yet", () => {
    const first = updateCustom<{ count: number } | undefined>(undefined, (draft) => {
      expect(draft).toBeUndefined();
      return { count: 1 };
    });
    expect(first).toEqual({ count: 1 });
    expect(updateCustom(undefined, () => {})).toBeUndefined();
  });

  test.each([1, "text", true, null, [1, 2]])("works on %j, which is JSON too", (value) => {
    expect(updateCustom<Json>("before", () => value)).toEqual(value);
    expect(updateCustom<Json>(value, () => "after")).toBe("after");
  });

  test("replaces objects without a prototype, and never changes them in place", () => {
    const before = freezeNew({ bare: bareObject({ count: 1 }) }, 0);
    const after = updateCustom(before, (draft) => {
      draft.bare = { count: draft.bare.count + 1 };
    });
    expect(after.bare.count).toBe(2);
    expect(() =>
      updateCustom(before, (draft) => {
        draft.bare.count = 2;
      }),
    ).toThrow(TypeError);
    expect(before.bare.count).toBe(1);
  });

  test.each(["__proto__", "constructor", "prototype"])(
    "is refused when it makes a member named %s, which no client would take back",
    (key) => {
      const members = JSON.parse(`{"list":[{"${key}":1}]}`) as Json;
      expect(() => updateCustom<Json>({ count: 1 }, () => members)).toThrow(
        `custom.list[0] has the reserved key "${key}"`,
      );
    },
  );

  test("says what any sequence of changes says when made on a copy", () => {
    const change = fc.record({ key: fc.constantFrom("a", "b", "c"), value: anyCustom });
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("a", "b", "other"), anyCustom, { noNullPrototype: true }),
        fc.array(change),
        (start, changes) => {
          const apply = (target: Record<string, unknown>): void => {
            for (const { key, value } of changes) target[key] = structuredClone(value);
          };
          const copy = structuredClone(start) as Record<string, unknown>;
          apply(copy);
          const before = freezeNew(start as Record<string, unknown>, undefined);
          expect(updateCustom(before, apply)).toEqual(copy);
        },
      ),
    );
  });
});

describe("an update that goes wrong", () => {
  test("lets its own error through and leaves the state", () => {
    const before = cart();
    const fail = (): Cart =>
      updateCustom(before, (draft) => {
        draft.lines = [];
        throw new RangeError("no");
      });
    expect(fail).toThrow(RangeError);
    expect(before).toEqual(cart());
  });

  test.each([
    ["a map", new Map()],
    ["a set", new Set()],
    ["a function", () => 1],
    ["a bigint", 1n],
    ["infinity", Number.POSITIVE_INFINITY],
    ["an instance", new Headers()],
    ["a symbol", Symbol("s")],
  ])("is refused when it puts %s into the state, naming the place", (_, value) => {
    const error = expect.objectContaining({
      status: "INVALID_ARGUMENT",
      details: { path: "custom.list[1].x" },
    });
    const before = freezeNew<{ list: { x: unknown }[] }>({ list: [{ x: 1 }, { x: 2 }] }, 0);
    expect(() =>
      updateCustom(before, (draft) => {
        draft.list[1]!.x = value;
      }),
    ).toThrow(error);
    expect(() => updateCustom(before, () => ({ list: [{ x: 1 }, { x: value }] }))).toThrow(error);
  });

  test("is refused when it leaves a hole in a list", () => {
    const before = freezeNew({ list: [1] }, 0);
    expect(() =>
      updateCustom(before, (draft) => {
        draft.list[2] = 3;
      }),
    ).toThrow("custom.list[1]");
  });

  test("is refused when it puts the state inside itself", () => {
    type Loop = { self?: unknown };
    const before = freezeNew<Loop>({}, 0);
    expect(() =>
      updateCustom(before, (draft) => {
        draft.self = draft;
      }),
    ).toThrow(/circular/);
    const loop: Loop = {};
    loop.self = [loop];
    expect(() => updateCustom<Loop>(before, () => loop)).toThrow(/circular/);
  });

  test("is refused when it is asynchronous, with no loose rejection", async () => {
    const before = cart();
    const slow = (async (draft: Cart) => {
      await Promise.resolve();
      draft.lines = [];
    }) as unknown as (draft: Cart) => void;
    expect(() => updateCustom(before, slow)).toThrow(/must be synchronous/);
    await new Promise((resolve) => setTimeout(resolve));
    expect(before).toEqual(cart());
  });

  test("does not compile when it is asynchronous", () => {
    type Update = Parameters<typeof updateCustom<Cart>>[1];
    expectTypeOf<(draft: Cart) => Promise<void>>().not.toExtend<Update>();
    expectTypeOf<(draft: Cart) => Promise<Cart>>().not.toExtend<Update>();
    expectTypeOf<(draft: Cart) => void>().toExtend<Update>();
  });

  test("is refused when it is no function", () => {
    expect(() => updateCustom(cart(), { lines: [] } as never)).toThrow(/must be a function/);
  });
});

describe("the updated state", () => {
  test("cannot be changed through a draft that got away", () => {
    let escaped: Cart | undefined;
    let nested: Cart["lines"] | undefined;
    const after = updateCustom(cart(), (draft) => {
      escaped = draft;
      nested = draft.lines;
      draft.lines.push(line("pot"));
    });
    expect(() => escaped!.customer).toThrow(TypeError);
    expect(() => nested!.push(line("evil"))).toThrow(TypeError);
    expect(after.lines).toHaveLength(3);
  });

  test("cannot be changed through a draft that got away from a failed update", () => {
    let escaped: Cart | undefined;
    expect(() =>
      updateCustom(cart(), (draft) => {
        escaped = draft;
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(() => escaped!.customer).toThrow(TypeError);
  });

  test("cannot be changed through an object that was put into it", () => {
    const mine = line("pot");
    const after = updateCustom(cart(), (draft) => {
      draft.lines.push(mine);
    });
    expect(() => {
      mine.count = 99;
    }).toThrow(TypeError);
    expect(after.lines[2]).toEqual(line("pot"));
  });

  test("is frozen where it is new", () => {
    const after = updateCustom(cart(), (draft) => {
      draft.lines[0]!.count = 2;
    });
    for (const part of [after, after.lines, after.lines[0]])
      expect(Object.isFrozen(part)).toBe(true);
  });

  test("may hold one object many times over", () => {
    let shared: Json = { leaf: 1 };
    for (let level = 0; level < 60; level += 1) shared = { left: shared, right: shared };
    expect(updateCustom<Json>({}, () => shared)).toBe(shared);
  });
});
