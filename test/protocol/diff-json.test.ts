import { applyPatch, diffJson, type Json, patchOrReplace } from "turnkeep/protocol";
import { describe, expect, it } from "vitest";

function items(count: number): { readonly id: number; readonly tags: readonly string[] }[] {
  return Array.from({ length: count }, (_, id) => ({ id, tags: [`tag-${id}`] }));
}

describe("diffJson", () => {
  it.each<[string, Json, Json, unknown[]]>([
    ["nothing between equal scalars", 1, 1, []],
    ["nothing between equal objects in another order", { a: 1, b: 2 }, { b: 2, a: 1 }, []],
    ["nothing between zero and minus zero", 0, -0, []],
    ["nothing for members that are undefined", { a: undefined }, { b: undefined }, []],
    ["a scalar at the root", 1, "1", [{ op: "replace", path: "", value: "1" }]],
    ["a change of kind", { a: [] }, { a: {} }, [{ op: "replace", path: "/a", value: {} }]],
    [
      "a member replaced",
      { a: 1, b: 1 },
      { a: 2, b: 1 },
      [{ op: "replace", path: "/a", value: 2 }],
    ],
    ["a member added", { a: 1 }, { a: 1, b: null }, [{ op: "add", path: "/b", value: null }]],
    ["a member removed", { a: 1, b: 2, c: 3 }, { a: 1, c: 3 }, [{ op: "remove", path: "/b" }]],
    ["a member that turns undefined", { a: 1 }, { a: undefined }, [{ op: "remove", path: "/a" }]],
    [
      "a member that was undefined",
      { a: undefined },
      { a: 1 },
      [{ op: "add", path: "/a", value: 1 }],
    ],
    [
      "a deep member",
      { a: { b: { c: 1 } } },
      { a: { b: { c: 2 } } },
      [{ op: "replace", path: "/a/b/c", value: 2 }],
    ],
    [
      "escaped keys",
      { "a/b": 1, "~": 1 },
      { "a/b": 2, "~": 1 },
      [{ op: "replace", path: "/a~1b", value: 2 }],
    ],
    [
      "members in the order of their keys, whether added, removed or replaced",
      { z: 1, m: 1, a: { y: 1, b: 1 }, B: 1 },
      { c: 3, a: { b: 2, y: 2 }, m: 2, "10": 4, "9": 5 },
      [
        { op: "add", path: "/10", value: 4 },
        { op: "add", path: "/9", value: 5 },
        { op: "remove", path: "/B" },
        { op: "replace", path: "/a/b", value: 2 },
        { op: "replace", path: "/a/y", value: 2 },
        { op: "add", path: "/c", value: 3 },
        { op: "replace", path: "/m", value: 2 },
        { op: "remove", path: "/z" },
      ],
    ],
    ["an item appended", [1, 2], [1, 2, 3], [{ op: "add", path: "/2", value: 3 }]],
    ["an item at the head", [1, 2], [0, 1, 2], [{ op: "add", path: "/0", value: 0 }]],
    [
      "items removed at the end",
      [1, 2, 3],
      [1],
      [
        { op: "remove", path: "/1" },
        { op: "remove", path: "/1" },
      ],
    ],
    [
      "a change inside an item",
      [{ a: 1 }, { a: 2 }],
      [{ a: 1 }, { a: 3 }],
      [{ op: "replace", path: "/1/a", value: 3 }],
    ],
    [
      "keys in another order and one changed",
      { a: 1, b: 2, c: 3 },
      { c: 3, b: 4, a: 1 },
      [{ op: "replace", path: "/b", value: 4 }],
    ],
  ])("finds %s", (...[, before, after, patch]) => {
    expect(diffJson(before, after)).toStrictEqual(patch);
  });

  it("takes one operation to remove one of 200 items", () => {
    const before = items(200);
    expect(diffJson(before, before.toSpliced(97, 1))).toStrictEqual([
      { op: "remove", path: "/97" },
    ]);
  });

  it("takes one operation for that even if no item is shared", () => {
    const after = structuredClone(items(200).toSpliced(97, 1));
    expect(diffJson(items(200), after)).toStrictEqual([{ op: "remove", path: "/97" }]);
  });

  it("takes one operation to insert at the head of 200 items", () => {
    const before = items(200);
    const after = [{ id: -1, tags: [] }, ...before];
    expect(diffJson(before, after)).toStrictEqual([{ op: "add", path: "/0", value: after[0] }]);
  });

  it("takes one operation for each of several changes all over a list", () => {
    const before = items(300);
    const after = before
      .toSpliced(250, 1)
      .with(200, { id: 200, tags: [] })
      .toSpliced(100, 2)
      .toSpliced(5, 0, { id: 5.5, tags: [] });
    const patch = diffJson(before, after);
    expect(patch.map(({ op }) => op)).toStrictEqual([
      "add",
      "remove",
      "remove",
      "remove",
      "remove",
    ]);
    expect(applyPatch(before, patch)).toStrictEqual(after);
  });

  it("replaces a list of strangers as a whole instead of item by item", () => {
    const before = { keep: 1, list: Array.from({ length: 500 }, (_, index) => `old ${index}`) };
    const after = { keep: 1, list: Array.from({ length: 400 }, (_, index) => `new ${index}`) };
    expect(diffJson(before, after)).toStrictEqual([
      { op: "replace", path: "/list", value: after.list },
    ]);
  });

  it("names each change where many large items change a little", () => {
    const before = Array.from({ length: 400 }, (_, id) => ({
      id,
      text: "x".repeat(200),
      done: false,
    }));
    const after = before.map((item) => ({ ...item, done: true }));
    const patch = diffJson({ list: before }, { list: after });
    expect(patch).toHaveLength(400);
    expect(patch[399]).toStrictEqual({ op: "replace", path: "/list/399/done", value: true });
  });

  it("does not look into parts that both states share", () => {
    const trap = new Proxy<Json[]>([], {
      get: () => expect.unreachable("looked into a shared part"),
      ownKeys: () => expect.unreachable("looked into a shared part"),
    });
    const before = { shared: trap, list: [trap, 1], count: 1 };
    const after = { ...before, list: [trap, 2], count: 2 };
    expect(diffJson(before, after)).toHaveLength(2);
  });

  it("treats names of inherited members as plain data", () => {
    const before = JSON.parse('{"__proto__":{"a":1},"constructor":1}') as Json;
    const after = JSON.parse('{"__proto__":{"a":2},"toString":1}') as Json;
    expect(diffJson(before, after)).toStrictEqual([
      { op: "replace", path: "/__proto__/a", value: 2 },
      { op: "remove", path: "/constructor" },
      { op: "add", path: "/toString", value: 1 },
    ]);
    expect(diffJson({}, JSON.parse('{"__proto__":1}') as Json)).toHaveLength(1);
  });

  it("compares objects too large for a list of members", () => {
    const before = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [`k${index}`, index]),
    );
    const after = { ...before, k1500: -1 };
    expect(diffJson(before, after)).toStrictEqual([{ op: "replace", path: "/k1500", value: -1 }]);
  });
});

describe("patchOrReplace", () => {
  it("gives nothing when nothing changed", () => {
    expect(patchOrReplace({ a: 1 }, { a: 1 })).toStrictEqual([]);
  });

  it("gives the patch when that is shorter", () => {
    const before = { text: "x".repeat(100), count: 1 };
    expect(patchOrReplace(before, { ...before, count: 2 })).toStrictEqual([
      { op: "replace", path: "/count", value: 2 },
    ]);
  });

  it("replaces the whole when that is shorter", () => {
    const after = { a: 2, b: 2, c: 2 };
    expect(patchOrReplace({ a: 1, b: 1, c: 1 }, after)).toStrictEqual([
      { op: "replace", path: "", value: after },
    ]);
  });
});
