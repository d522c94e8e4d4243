import type { Json, JsonPatchOperation } from "turnkeep/protocol";

/** A patch that applies, and what it must make of the document. Values are ours; the rules are RFC 6902's. */
export type ApplyingCase = readonly [
  name: string,
  document: Json,
  patch: readonly JsonPatchOperation[],
  result: Json,
];

/** The situations of RFC 6902, appendix A. */
export const APPENDIX_A: readonly ApplyingCase[] = [
  ["A.1 adds a member", { cup: 1 }, [{ op: "add", path: "/lid", value: 2 }], { cup: 1, lid: 2 }],
  ["A.2 adds an item", { a: [1, 3] }, [{ op: "add", path: "/a/1", value: 2 }], { a: [1, 2, 3] }],
  ["A.3 removes a member", { cup: 1, lid: 2 }, [{ op: "remove", path: "/lid" }], { cup: 1 }],
  ["A.4 removes an item", { a: [1, 9, 2] }, [{ op: "remove", path: "/a/1" }], { a: [1, 2] }],
  [
    "A.5 replaces a member",
    { cup: 1, lid: 2 },
    [{ op: "replace", path: "/lid", value: "tin" }],
    { cup: 1, lid: "tin" },
  ],
  [
    "A.6 moves a member between objects",
    { left: { keep: 0, go: [7] }, right: {} },
    [{ op: "move", from: "/left/go", path: "/right/came" }],
    { left: { keep: 0 }, right: { came: [7] } },
  ],
  [
    "A.7 moves an item within its array",
    { a: ["w", "z", "x", "y"] },
    [{ op: "move", from: "/a/1", path: "/a/3" }],
    { a: ["w", "x", "y", "z"] },
  ],
  [
    "A.8 goes on after tests that hold",
    { n: "tea", a: [1, "two", 3] },
    [
      { op: "test", path: "/n", value: "tea" },
      { op: "test", path: "/a/1", value: "two" },
    ],
    { n: "tea", a: [1, "two", 3] },
  ],
  [
    "A.10 adds a nested object",
    { cup: 1 },
    [{ op: "add", path: "/box", value: { in: {} } }],
    { cup: 1, box: { in: {} } },
  ],
  [
    "A.11 passes over members an operation should not have",
    { cup: 1 },
    [{ op: "add", path: "/lid", value: 2, colour: "red" } as JsonPatchOperation],
    { cup: 1, lid: 2 },
  ],
  [
    "A.14 unescapes ~0 before it could make another ~1",
    { "/": 9, "~1": 10 },
    [{ op: "test", path: "/~01", value: 10 }],
    { "/": 9, "~1": 10 },
  ],
  [
    "A.16 adds an array as one item",
    { a: [1] },
    [{ op: "add", path: "/a/-", value: [2, 3] }],
    { a: [1, [2, 3]] },
  ],
];
