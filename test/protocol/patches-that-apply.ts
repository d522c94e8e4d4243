import type { Json } from "turnkeep/protocol";
import { type ApplyingCase, APPENDIX_A } from "./patches-of-appendix-a.ts";

const WHOLE_DOCUMENT: readonly ApplyingCase[] = [
  ["does nothing to an object by an empty patch", { a: 1 }, [], { a: 1 }],
  ["does nothing to a scalar by an empty patch", "x", [], "x"],
  ["replaces the whole document", { a: 1 }, [{ op: "replace", path: "", value: [2] }], [2]],
  ["adds over the whole document", { a: 1 }, [{ op: "add", path: "", value: null }], null],
  ["tests the whole document", { a: 1 }, [{ op: "test", path: "", value: { a: 1 } }], { a: 1 }],
  ["tests a document of null", null, [{ op: "test", path: "", value: null }], null],
  [
    "copies the whole into itself",
    { a: 1 },
    [{ op: "copy", from: "", path: "/b" }],
    { a: 1, b: { a: 1 } },
  ],
  [
    "moves a member over the whole",
    { a: { b: 1 } },
    [{ op: "move", from: "/a", path: "" }],
    { b: 1 },
  ],
  ["copies a member over the whole", { a: [1] }, [{ op: "copy", from: "/a", path: "" }], [1]],
  ["moves the whole onto itself", [1], [{ op: "move", from: "", path: "" }], [1]],
];

const KEYS: readonly ApplyingCase[] = [
  ["takes the empty key", { "": 1 }, [{ op: "replace", path: "/", value: 2 }], { "": 2 }],
  ["adds the empty key", {}, [{ op: "add", path: "/", value: 1 }], { "": 1 }],
  ["goes through the empty key", { "": { "": 1 } }, [{ op: "remove", path: "//" }], { "": {} }],
  ["takes digits as a key of an object", {}, [{ op: "add", path: "/0", value: 1 }], { "0": 1 }],
  ["takes a leading zero as a key of an object", { "01": 1 }, [{ op: "remove", path: "/01" }], {}],
  [
    "takes a dash as a key of an object",
    { "-": 1 },
    [{ op: "replace", path: "/-", value: 2 }],
    { "-": 2 },
  ],
  ["unescapes a slash", { "a/b": 1 }, [{ op: "replace", path: "/a~1b", value: 2 }], { "a/b": 2 }],
  ["unescapes a tilde", { "a~b": 1 }, [{ op: "replace", path: "/a~0b", value: 2 }], { "a~b": 2 }],
  ["does not decode percent signs", { "%41": 1 }, [{ op: "remove", path: "/%41" }], {}],
  [
    "takes quotes and backslashes",
    { 'q"': 1, "b\\": 2 },
    [{ op: "remove", path: '/q"' }],
    { "b\\": 2 },
  ],
  ["takes a space", { " ": 1 }, [{ op: "test", path: "/ ", value: 1 }], { " ": 1 }],
  ["takes letters beyond ASCII", { é: 1 }, [{ op: "replace", path: "/é", value: "ü" }], { é: "ü" }],
  [
    "tells composed from decomposed letters",
    { "\u00e9": 1 },
    [{ op: "add", path: "/e\u0301", value: 2 }],
    { "\u00e9": 1, "e\u0301": 2 },
  ],
];

const MEMBERS: readonly ApplyingCase[] = [
  [
    "replaces by adding over a member",
    { a: 1 },
    [{ op: "add", path: "/a", value: [2] }],
    { a: [2] },
  ],
  ["adds null", {}, [{ op: "add", path: "/a", value: null }], { a: null }],
  ["adds false", {}, [{ op: "add", path: "/a", value: false }], { a: false }],
  ["replaces null", { a: null }, [{ op: "replace", path: "/a", value: 0 }], { a: 0 }],
  ["removes null", { a: null }, [{ op: "remove", path: "/a" }], {}],
  ["moves null", { a: null }, [{ op: "move", from: "/a", path: "/b" }], { b: null }],
  ["copies null", { a: null }, [{ op: "copy", from: "/a", path: "/b" }], { a: null, b: null }],
  [
    "removes a deep member",
    { a: { b: { c: 1, d: 2 } } },
    [{ op: "remove", path: "/a/b/c" }],
    { a: { b: { d: 2 } } },
  ],
  ["moves a member onto itself", { a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
  [
    "moves over an existing member",
    { a: 1, b: 2 },
    [{ op: "move", from: "/a", path: "/b" }],
    { b: 1 },
  ],
  [
    "moves to a path that only begins alike",
    { a: 1, ab: {} },
    [{ op: "move", from: "/a", path: "/ab/c" }],
    { ab: { c: 1 } },
  ],
  [
    "copies into a child of the source",
    { a: { b: 1 } },
    [{ op: "copy", from: "/a", path: "/a/c" }],
    { a: { b: 1, c: { b: 1 } } },
  ],
  [
    "keeps the copy apart from later changes of the source",
    { a: { n: [1] } },
    [
      { op: "add", path: "/a/n/-", value: 2 },
      { op: "copy", from: "/a", path: "/b" },
      { op: "add", path: "/a/n/-", value: 3 },
      { op: "remove", path: "/b/n/0" },
    ],
    { a: { n: [1, 2, 3] }, b: { n: [2] } },
  ],
  [
    "does not change the patch's own values later on",
    {},
    [
      { op: "add", path: "/a", value: { n: [] } },
      { op: "add", path: "/a/n/-", value: 1 },
    ],
    { a: { n: [1] } },
  ],
  [
    "sees the result of earlier operations",
    { a: 1 },
    [
      { op: "move", from: "/a", path: "/b" },
      { op: "test", path: "/b", value: 1 },
      { op: "add", path: "/a", value: 2 },
    ],
    { a: 2, b: 1 },
  ],
];

const ARRAYS: readonly ApplyingCase[] = [
  ["inserts at the head", [1], [{ op: "add", path: "/0", value: 0 }], [0, 1]],
  ["inserts at the length", [0, 1], [{ op: "add", path: "/2", value: 2 }], [0, 1, 2]],
  ["appends at the dash", [0], [{ op: "add", path: "/-", value: 1 }], [0, 1]],
  ["appends to an empty array by dash", [], [{ op: "add", path: "/-", value: 1 }], [1]],
  ["appends to an empty array by index", [], [{ op: "add", path: "/0", value: 1 }], [1]],
  [
    "appends an object to a nested array",
    [1, [2]],
    [{ op: "add", path: "/1/-", value: { a: 1 } }],
    [1, [2, { a: 1 }]],
  ],
  ["replaces an item", [1, 2, 3], [{ op: "replace", path: "/1", value: "b" }], [1, "b", 3]],
  ["removes the only item", [1], [{ op: "remove", path: "/0" }], []],
  [
    "removes one after another",
    [1, 2, 3],
    [
      { op: "remove", path: "/0" },
      { op: "remove", path: "/0" },
    ],
    [3],
  ],
  [
    "moves the last item to the head",
    [1, 2, 3],
    [{ op: "move", from: "/2", path: "/0" }],
    [3, 1, 2],
  ],
  ["moves an item to the dash", [1, 2], [{ op: "move", from: "/0", path: "/-" }], [2, 1]],
  [
    "moves an item to the last index left",
    [1, 2],
    [{ op: "move", from: "/0", path: "/1" }],
    [2, 1],
  ],
  [
    "moves an item out of its array",
    { a: [1, 2] },
    [{ op: "move", from: "/a/0", path: "/b" }],
    { a: [2], b: 1 },
  ],
  ["copies an item to the head", [1, 2], [{ op: "copy", from: "/1", path: "/0" }], [2, 1, 2]],
  [
    "changes an object in an array",
    [{ a: 1 }, { a: 2 }],
    [{ op: "replace", path: "/1/a", value: 3 }],
    [{ a: 1 }, { a: 3 }],
  ],
  [
    "takes a two-digit index",
    [...Array(12).keys()],
    [{ op: "replace", path: "/11", value: "x" }],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "x"],
  ],
];

const TESTS: readonly ApplyingCase[] = [
  [
    "finds objects equal in any order of keys",
    { o: { a: 1, b: [2] } },
    [{ op: "test", path: "/o", value: { b: [2], a: 1 } }],
    { o: { a: 1, b: [2] } },
  ],
  [
    "finds nested arrays equal",
    { a: [[1], { b: [] }] },
    [{ op: "test", path: "/a", value: [[1], { b: [] }] }],
    { a: [[1], { b: [] }] },
  ],
  [
    "finds 1 and 1.0 equal",
    { a: 1 },
    [{ op: "test", path: "/a", value: JSON.parse("1.0") as Json }],
    { a: 1 },
  ],
  ["finds an empty object equal", { a: {} }, [{ op: "test", path: "/a", value: {} }], { a: {} }],
  ["finds false equal", { a: false }, [{ op: "test", path: "/a", value: false }], { a: false }],
];

/** Every case, each checked against fast-json-patch too. */
export const PATCHES_THAT_APPLY: readonly ApplyingCase[] = [
  ...APPENDIX_A,
  ...WHOLE_DOCUMENT,
  ...KEYS,
  ...MEMBERS,
  ...ARRAYS,
  ...TESTS,
];
