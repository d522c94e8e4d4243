import {
  parseAgentInit,
  parseAgentStreamChunk,
  parseMessage,
  parseSessionSnapshot,
} from "turnkeep/protocol";
import { describe, expect, it } from "vitest";
import { INPUTS_TO_REFUSE, type Refused } from "./inputs-to-refuse.ts";
import { prototypeFingerprint } from "./prototype-fingerprint.ts";
import { refusalOf } from "./refusal-of.ts";

describe("the parsers refuse, naming the place", () => {
  it.each(INPUTS_TO_REFUSE.map((refused) => [refused[2], refused] as const))(
    "%s",
    (_name, [parse, value, message]) => {
      const error = refusalOf(() => parse(value));
      expect(error.message).toBe(message);
      expect(error.status).toBe("INVALID_ARGUMENT");
      expect(message).toBe(
        `${String(error.details["path"])} must be ${String(error.details["expected"])}.`,
      );
    },
  );

  it("and repeat nothing of what was sent", () => {
    const canary = "hunter2";
    const attempts: Refused[] = [
      [parseMessage, { role: canary, content: [] }, ""],
      [parseMessage, { role: "user", content: [{ [canary]: canary }] }, ""],
      [
        parseMessage,
        {
          role: "user",
          content: [],
          metadata: { [canary]: { [canary]: undefined, a: [undefined] } },
        },
        "",
      ],
      [
        parseMessage,
        { role: "user", content: [], [canary]: { [canary]: { constructor: canary } } },
        "",
      ],
      [parseSessionSnapshot, { snapshotId: canary, createdAt: canary }, ""],
      [parseAgentInit, { sessionId: `${canary}\n` }, ""],
      [parseAgentStreamChunk, { customPatch: [{ op: "add", path: canary, value: canary }] }, ""],
    ];
    for (const [parse, value] of attempts) {
      const error = refusalOf(() => parse(value));
      const said = JSON.stringify([error.message, error.details, String(error.cause)]);
      expect(said).not.toContain(canary);
    }
  });

  it.each(["__proto__", "constructor", "prototype"])("and take the key %s nowhere", (key) => {
    const prototypes = prototypeFingerprint();
    const evil = JSON.parse(`{"${key}":{"polluted":1}}`) as object;
    const good = { role: "user", content: [{ text: "x" }] };
    const places = [
      { ...good, metadata: evil },
      { ...good, metadata: { deep: [[evil]] } },
      { ...good, unknown: evil },
      { ...good, content: [{ data: evil }] },
      { ...good, content: [{ toolRequest: { name: "t", input: evil } }] },
      Object.defineProperty({ ...good }, key, { value: 1, enumerable: true }),
      {
        ...good,
        content: [Object.defineProperty({ text: "x" }, key, { value: 1, enumerable: true })],
      },
    ];
    for (const place of places) {
      const error = refusalOf(() => parseMessage(place));
      expect(error.message).toContain(
        "must be free of the keys __proto__, constructor and prototype",
      );
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(prototypeFingerprint()).toBe(prototypes);
  });

  it.each(["__proto__", "constructor", "toString"])("and take %s as an id for plain text", (id) => {
    expect(parseAgentInit({ sessionId: id, snapshotId: id })).toStrictEqual({
      sessionId: id,
      snapshotId: id,
    });
  });
});
