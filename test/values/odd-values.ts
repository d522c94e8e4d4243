function nested(levels: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < levels; level += 1) value = { in: value };
  return value;
}

function cycle(): unknown {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
}

const MEGABYTES_50 = "x".repeat(50 * 1024 * 1024);

/** Values that JSON, a database or JavaScript itself is known to get wrong. A new one is one line here. */
export const ODD_VALUES: Readonly<Record<string, unknown>> = {
  "plain text": "plain",
  "half a pair": "half \uD83D",
  "other half": "\uDE00 half",
  NUL: "a\0b",
  "text __proto__": "__proto__",
  "key __proto__": JSON.parse('{"__proto__":{"polluted":true}}'),
  "150 levels": nested(150),
  "10,000 levels": nested(10_000),
  cycle: cycle(),
  BigInt: 5n,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-0": -0,
  Date: new Date(0),
  "invalid Date": new Date(Number.NaN),
  Map: new Map([["a", 1]]),
  hole: Array(1),
  "50 MB": MEGABYTES_50,
};
