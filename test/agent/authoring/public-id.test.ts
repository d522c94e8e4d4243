import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findPublicId, getPublicId, toPublicId } from "../../../src/agent/public-id.ts";
import { errorOf } from "./turns.ts";

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const sessionId = fc
  .oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 128 }),
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.stringMatching(/^[A-Za-z0-9._-]{1,512}$/),
    fc.stringMatching(/^x-[A-Za-z0-9_.-]*$/),
    fc.constantFrom("x-", "x-eA", ".", "a.b", "\uFEFFa", "a".repeat(512), "ü".repeat(256), "a/b?c"),
  )
  .filter((text) => text.trim() !== "" && !text.includes("\0") && bytesOf(text) <= 512);
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);

describe("a public id", () => {
  it("leads back to its session and its own id", () => {
    fc.assert(
      fc.property(sessionId, id, (session, own) => {
        const text = toPublicId({ sessionId: session, id: own });
        expect(findPublicId(text)).toEqual({ sessionId: session, id: own });
        expect(text).toMatch(/^[A-Za-z0-9_.~-]{1,800}$/);
        expect(encodeURIComponent(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it("is another one for another session or another id", () => {
    fc.assert(
      fc.property(fc.tuple(sessionId, id), fc.tuple(sessionId, id), (one, other) => {
        fc.pre(one[0] !== other[0] || one[1] !== other[1]);
        expect(toPublicId({ sessionId: one[0], id: one[1] })).not.toBe(
          toPublicId({ sessionId: other[0], id: other[1] }),
        );
      }),
    );
  });

  it.each([
    ["user-42", "user-42.a1"],
    ["sess_abc123", "sess_abc123.a1"],
    ["user:42", "user~3a42.a1"],
    ["a.b", "a.b.a1"],
    ["ada@example.com", "ada~40example.com.a1"],
    ["team/ada", "team~2fada.a1"],
    ["Zürich", "Z~c3~bcrich.a1"],
    ["a~b", "a~7eb.a1"],
    ["日本語", "x-5pel5pys6Kqe.a1"],
    ["x-odd", "x-eC1vZGQ.a1"],
  ])("of session %s can be read: %s", (session, text) => {
    expect(toPublicId({ sessionId: session, id: "a1" })).toBe(text);
    expect(findPublicId(text)).toEqual({ sessionId: session, id: "a1" });
  });

  it.each([
    ["sess_abc123", "x-c2Vzc19hYmMxMjM.a1"],
    ["user:42", "x-dXNlcjo0Mg.a1"],
    ["a.b", "x-YS5i.a1"],
  ])("of session %s that was made before is still read: %s", (session, text) => {
    expect(findPublicId(text)).toEqual({ sessionId: session, id: "a1" });
  });

  it("has one spelling: whatever text is read as an id is written the same way, or encoded as a whole", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.stringMatching(/^[A-Za-z0-9_.-]{0,40}$/),
          fc.stringMatching(/^x-[A-Za-z0-9_=-]{0,20}\.[a-z0-9]{1,5}$/),
          fc.stringMatching(/^[a-c~0-9.]{1,12}\.[a-z0-9]{1,5}$/),
        ),
        (text) => {
          const found = findPublicId(text);
          if (found && text.startsWith("x-")) {
            expect(text).toBe(
              `x-${Buffer.from(found.sessionId).toString("base64url")}.${found.id}`,
            );
          } else expect(found ? toPublicId(found) : text).toBe(text);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["nothing", ""],
    ["no dot", "abc"],
    ["no session", ".abc"],
    ["no id of its own", "abc."],
    ["an id with other characters", "abc.d e"],
    ["an id that is too long", `abc.${"d".repeat(65)}`],
    ["a session that is too long", `${"a".repeat(513)}.d`],
    ["text that is far too long", `x-${"A".repeat(1_000_000)}.d`],
    ["a plain session spelled as an encoded one", "x-YWJj.d"],
    ["a character escaped for nothing", "~61bc.d"],
    ["an escape in capitals", "a~3Ab.d"],
    ["half an escape", "a~3.d"],
    ["escapes that are no UTF-8", "abcdefghijkl~ff.d"],
    ["bad base64", "x-a.d"],
    ["base64 with padding", "x-w7w=.d"],
    ["bytes that are no UTF-8", "x-_w.d"],
    ["a blank session", "x-IA.d"],
    ["a session with NUL", "x-YQBi.d"],
    ["a space before it", " abc.d"],
    ["a path", "../../etc.passwd"],
  ])("is not %s", async (_, text) => {
    expect(findPublicId(text)).toBeUndefined();
    expect((await errorOf(() => getPublicId(text))).status).toBe("NOT_FOUND");
  });
});
