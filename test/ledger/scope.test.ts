import { describe, expect, it } from "vitest";
import { createScope, createSessionKey } from "../../src/ledger/index.ts";

const bad: readonly (readonly [string, unknown])[] = [
  ["blank", "  "],
  ["empty", ""],
  ["missing", undefined],
  ["a number", 7],
  ["longer than 512 bytes", "é".repeat(257)],
  ["with a NUL", "a\0b"],
  ["with half a surrogate pair", "a\uD800"],
];

describe("names", () => {
  it.each(bad)("of a tenant are refused when %s", (_, name) => {
    expect(() => createScope(name as string)).toThrow(
      expect.objectContaining({ status: "INVALID_ARGUMENT" }),
    );
  });

  it.each(bad)("of an agent or a session are refused when %s", (_, name) => {
    const scope = createScope("tenant");
    expect(() => createSessionKey(scope, name as string, "session")).toThrow(/agent/);
    expect(() => createSessionKey(scope, "agent", name as string)).toThrow(/sessionId/);
  });

  it.each(["user-42", "../../etc", "a b", "日本語", "💬", "x".repeat(512), "'; drop table"])(
    "allow %s",
    (name) => {
      expect(createSessionKey(createScope("tenant"), "agent", name).sessionId).toBe(name);
    },
  );
});
