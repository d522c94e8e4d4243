import { parseJson } from "turnkeep/protocol";
import { describe, expect, it } from "vitest";
import { prototypeFingerprint } from "./prototype-fingerprint.ts";
import { refusalOf } from "./refusal-of.ts";

describe("parseJson", () => {
  it.each(["null", "0", '""', "[]", '{"a":[1,{"b":"é"}]}', ' {"toString":1} '])(
    "reads %s",
    (text) => {
      expect(parseJson(text)).toStrictEqual(JSON.parse(text));
    },
  );

  it.each([
    "",
    " ",
    "{",
    "nul",
    "{'a':1}",
    "[1,]",
    "NaN",
    "Infinity",
    "undefined",
    "1 2",
    '"\n"',
    "\u0000",
  ])("refuses %j", (text) => {
    const error = refusalOf(() => parseJson(text));
    expect(error.status).toBe("INVALID_ARGUMENT");
    expect(error.message).toBe("JSON text must be well-formed JSON.");
  });

  it("quotes nothing of the text in its error", () => {
    const error = refusalOf(() => parseJson('{"password": hunter2}'));
    expect(
      `${error.message} ${JSON.stringify(error.details)} ${String(error.cause)}`,
    ).not.toContain("hunter");
    expect(error.cause).toBeUndefined();
  });

  it.each(["__proto__", "constructor", "prototype"])("refuses the key %s at any depth", (key) => {
    const prototypes = prototypeFingerprint();
    for (const text of [`{"${key}":1}`, `[{"a":[{"${key}":{"polluted":1}}]}]`]) {
      expect(refusalOf(() => parseJson(text)).message).toContain("free of the keys");
    }
    expect(refusalOf(() => parseJson('{"\\u005f_proto__":1}')).message).toContain(
      "free of the keys",
    );
    expect(prototypeFingerprint()).toBe(prototypes);
  });

  it.each([undefined, null, 1, {}, [], new Uint8Array(2)])(
    "refuses %s in place of text",
    (value) => {
      expect(() => parseJson(value as string)).toThrow("JSON text must be a string");
    },
  );

  it("survives a hundred thousand open brackets", () => {
    expect(() => parseJson("[".repeat(100_000))).toThrow("JSON text must be well-formed JSON");
    expect(() => parseJson("[".repeat(100_000) + "]".repeat(100_000))).toThrow("64 levels");
  });
});
