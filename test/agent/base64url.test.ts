import fc from "fast-check";
import { expect, test } from "vitest";
import { findBase64UrlBytes, toBase64Url } from "../../src/agent/base64url.ts";

test("bytes are written as Node writes them, and read back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
      const text = toBase64Url(bytes);
      expect(text).toBe(Buffer.from(bytes).toString("base64url"));
      expect(findBase64UrlBytes(text)).toEqual(new Uint8Array(bytes));
    }),
  );
});

test("only one spelling of some bytes is read", () => {
  expect(findBase64UrlBytes("_w")).toEqual(Uint8Array.of(255));
  for (const text of ["_x", "_w==", "/w", "_w\n", " _w", "_", "_wÿ", "_wAAA"]) {
    expect(findBase64UrlBytes(text), text).toBeUndefined();
  }
});
