import type { Json } from "turnkeep/protocol";

/** A patch that must be refused. Loosely typed: many are malformed on purpose. */
export type RefusedCase = readonly [name: string, document: Json, patch: unknown];

const MISSING_PLACES: readonly RefusedCase[] = [
  ["A.9 a test that fails", { n: "tea" }, [{ op: "test", path: "/n", value: "milk" }]],
  [
    "A.12 adding below a parent that is not there",
    { a: 1 },
    [{ op: "add", path: "/b/c", value: 1 }],
  ],
  ["A.13 an operation without op", { a: 1 }, [{ path: "/b", value: 1 }]],
  [
    "A.15 a test of a string against a number",
    { a: 10 },
    [{ op: "test", path: "/a", value: "10" }],
  ],
  ["removing what is not there", { a: 1 }, [{ op: "remove", path: "/b" }]],
  ["removing below what is not there", { a: 1 }, [{ op: "remove", path: "/b/c" }]],
  ["replacing what is not there", { a: 1 }, [{ op: "replace", path: "/b", value: 1 }]],
  ["replacing an item past the end", [1], [{ op: "replace", path: "/1", value: 1 }]],
  ["removing an item past the end", [1], [{ op: "remove", path: "/1" }]],
  ["moving what is not there", { a: 1 }, [{ op: "move", from: "/b", path: "/c" }]],
  ["moving onto itself what is not there", { a: 1 }, [{ op: "move", from: "/b", path: "/b" }]],
  ["copying what is not there", { a: 1 }, [{ op: "copy", from: "/b", path: "/c" }]],
  ["testing what is not there", { a: 1 }, [{ op: "test", path: "/b", value: null }]],
  ["testing for nothing at all", { a: 1 }, [{ op: "test", path: "/b" }]],
  ["adding below a number", { a: 1 }, [{ op: "add", path: "/a/b", value: 1 }]],
  ["adding below a string", "text", [{ op: "add", path: "/0", value: "x" }]],
  ["reading a character of a string", { a: "xyz" }, [{ op: "test", path: "/a/0", value: "x" }]],
  ["adding below null", null, [{ op: "add", path: "/a", value: 1 }]],
  ["the length of an array as a member", [1], [{ op: "replace", path: "/length", value: 0 }]],
  ["testing the length of an array", [1], [{ op: "test", path: "/length", value: 1 }]],
  ["removing the whole document", { a: 1 }, [{ op: "remove", path: "" }]],
  [
    "a later operation that fails",
    { a: 1 },
    [
      { op: "remove", path: "/a" },
      { op: "remove", path: "/a" },
    ],
  ],
];

const BAD_INDICES: readonly RefusedCase[] = [
  ["an index past the length", [1], [{ op: "add", path: "/2", value: 1 }]],
  ["an index far past the length", [], [{ op: "add", path: "/4294967294", value: 1 }]],
  ["an index beyond numbers", [], [{ op: "add", path: `/${"9".repeat(400)}`, value: 1 }]],
  ["a negative index", [1], [{ op: "add", path: "/-1", value: 1 }]],
  ["a leading zero", [1, 2], [{ op: "replace", path: "/01", value: 1 }]],
  ["a double zero", [1], [{ op: "test", path: "/00", value: 1 }]],
  ["a plus sign", [1, 2], [{ op: "remove", path: "/+1" }]],
  ["an exponent", [1, 2], [{ op: "test", path: "/1e0", value: 2 }]],
  ["a decimal point", [1, 2], [{ op: "test", path: "/1.0", value: 2 }]],
  ["a hexadecimal index", [1, 2], [{ op: "test", path: "/0x1", value: 2 }]],
  ["a blank before an index", [1, 2], [{ op: "test", path: "/ 1", value: 2 }]],
  ["an Arabic digit", [1, 2], [{ op: "test", path: "/\u0661", value: 2 }]],
  ["an empty token in an array", [1], [{ op: "add", path: "/", value: 1 }]],
  ["a word in an array", [1], [{ op: "add", path: "/first", value: 1 }]],
  ["replacing at the dash", [1], [{ op: "replace", path: "/-", value: 1 }]],
  ["removing at the dash", [1], [{ op: "remove", path: "/-" }]],
  ["testing at the dash", [1], [{ op: "test", path: "/-", value: 1 }]],
  ["moving from the dash", [1], [{ op: "move", from: "/-", path: "/0" }]],
  ["copying from the dash", [1], [{ op: "copy", from: "/-", path: "/0" }]],
  ["going on below the dash", [[1]], [{ op: "add", path: "/-/0", value: 1 }]],
];

const MALFORMED: readonly RefusedCase[] = [
  ["a patch that is no list", { a: 1 }, { op: "remove", path: "/a" }],
  ["a patch that is text", { a: 1 }, "remove"],
  ["an operation that is null", { a: 1 }, [null]],
  ["an operation that is text", { a: 1 }, ["remove /a"]],
  ["an operation unknown", { a: 1 }, [{ op: "spam", path: "/a", value: 1 }]],
  ["an operation in capitals", { a: 1 }, [{ op: "REMOVE", path: "/a" }]],
  ["an operation named like an inherited member", { a: 1 }, [{ op: "toString", path: "/a" }]],
  ["a pointer missing", { a: 1 }, [{ op: "remove" }]],
  ["a pointer that is null", { a: 1 }, [{ op: "remove", path: null }]],
  ["a pointer that is a list of tokens", { a: 1 }, [{ op: "remove", path: ["a"] }]],
  ["a pointer without its slash", { a: 1 }, [{ op: "remove", path: "a" }]],
  ["a pointer as a URL fragment", { a: 1 }, [{ op: "remove", path: "#/a" }]],
  ["an escape unknown", { "~2": 1 }, [{ op: "remove", path: "/~2" }]],
  ["a bare tilde at the end", { "a~": 1 }, [{ op: "remove", path: "/a~" }]],
  ["add without a value", { a: 1 }, [{ op: "add", path: "/b" }]],
  ["replace without a value", { a: 1 }, [{ op: "replace", path: "/a" }]],
  ["test without a value", { a: null }, [{ op: "test", path: "/a" }]],
  ["move without a source", { a: 1 }, [{ op: "move", path: "/b" }]],
  ["copy without a source", { a: 1 }, [{ op: "copy", path: "/b" }]],
  ["a source with a bad escape", { "~": 1 }, [{ op: "copy", from: "/~", path: "/b" }]],
];

const MOVES_AND_TESTS: readonly RefusedCase[] = [
  ["moving a value into its child", { a: { b: 1 } }, [{ op: "move", from: "/a", path: "/a/b" }]],
  [
    "moving a value deep into itself",
    { a: { b: { c: 1 } } },
    [{ op: "move", from: "/a", path: "/a/b/c" }],
  ],
  ["moving the whole into itself", { a: 1 }, [{ op: "move", from: "", path: "/b" }]],
  ["moving past the end that moving left", [1, 2], [{ op: "move", from: "/0", path: "/2" }]],
  ["a test of null against false", { a: null }, [{ op: "test", path: "/a", value: false }]],
  ["a test of an object against an array", { a: {} }, [{ op: "test", path: "/a", value: [] }]],
  ["a test of arrays in another order", { a: [1, 2] }, [{ op: "test", path: "/a", value: [2, 1] }]],
  [
    "a test of an object with a member more",
    { a: { b: 1 } },
    [{ op: "test", path: "/a", value: {} }],
  ],
  [
    "a test of an object with a member less",
    { a: {} },
    [{ op: "test", path: "/a", value: { b: 1 } }],
  ],
];

const INHERITED: readonly RefusedCase[] = [
  ["replacing an inherited member", {}, [{ op: "replace", path: "/toString", value: 1 }]],
  ["removing an inherited member", {}, [{ op: "remove", path: "/hasOwnProperty" }]],
  ["going through __proto__", {}, [{ op: "add", path: "/__proto__/polluted", value: 1 }]],
  [
    "going through constructor",
    {},
    [{ op: "add", path: "/constructor/prototype/polluted", value: 1 }],
  ],
  [
    "going through the prototype of an array",
    [],
    [{ op: "add", path: "/__proto__/polluted", value: 1 }],
  ],
  ["going through a method of an array", [], [{ op: "add", path: "/push/polluted", value: 1 }]],
  [
    "going through the constructor of a number",
    { a: 1 },
    [{ op: "add", path: "/a/constructor/polluted", value: 1 }],
  ],
  ["copying an inherited member", {}, [{ op: "copy", from: "/constructor", path: "/a" }]],
  ["moving an inherited member", {}, [{ op: "move", from: "/__proto__", path: "/a" }]],
  ["testing an inherited member", {}, [{ op: "test", path: "/__proto__", value: {} }]],
];

export const PATCHES_TO_REFUSE: readonly RefusedCase[] = [
  ...MISSING_PLACES,
  ...BAD_INDICES,
  ...MALFORMED,
  ...MOVES_AND_TESTS,
  ...INHERITED,
];
