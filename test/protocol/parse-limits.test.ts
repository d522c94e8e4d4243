import {
  ANSWER_LIMITS,
  type Json,
  type LimitOptions,
  LIMITS,
  parseAgentInit,
  parseAgentInput,
  parseAgentOutput,
  parseJson,
  parseMessage,
  parseSessionState,
} from "turnkeep/protocol";
import { describe, expect, it } from "vitest";
import { refusalOf } from "./refusal-of.ts";

function nested(levels: number): Json {
  let value: Json = [];
  for (let level = 1; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function message(parts: number): { readonly role: string; readonly content: object[] } {
  return { role: "user", content: Array.from({ length: parts }, () => ({ text: "x" })) };
}

type Limit = readonly [name: string, most: number, work: (size: number) => unknown];

const STRICT: readonly Limit[] = [
  ["levels of free data", LIMITS.depth, (size) => parseSessionState({ custom: nested(size - 1) })],
  ["levels of JSON text", LIMITS.depth, (size) => parseJson(JSON.stringify(nested(size)))],
  [
    "levels of unknown fields",
    LIMITS.depth,
    (size) => parseMessage({ ...message(0), later: nested(size - 1) }),
  ],
  [
    "values of free data",
    LIMITS.nodes,
    (size) => parseSessionState({ custom: Array(size - 2).fill(0) }),
  ],
  [
    "values of JSON text",
    LIMITS.nodes,
    (size) => parseJson(JSON.stringify(Array(size - 1).fill(0))),
  ],
  [
    "values of unknown fields",
    LIMITS.nodes,
    (size) => parseMessage({ ...message(0), later: Array(size - 4).fill(0) }),
  ],
  [
    "bytes of a text",
    LIMITS.stringBytes,
    (size) => parseMessage({ role: "user", content: [{ text: "x".repeat(size) }] }),
  ],
  [
    "bytes of a text beyond ASCII",
    LIMITS.stringBytes,
    (size) =>
      parseSessionState({ custom: `${"é".repeat(Math.floor(size / 2))}${"x".repeat(size % 2)}` }),
  ],
  [
    "bytes of a text of three-byte letters",
    LIMITS.stringBytes,
    (size) =>
      parseSessionState({ custom: "€".repeat(Math.floor(size / 3)) + "x".repeat(size % 3) }),
  ],
  [
    "bytes of emoji",
    LIMITS.stringBytes,
    (size) =>
      parseSessionState({ custom: `${"😀".repeat(Math.floor(size / 4))}${"x".repeat(size % 4)}` }),
  ],
  [
    "bytes of a key",
    LIMITS.stringBytes,
    (size) => parseSessionState({ custom: { ["k".repeat(size)]: 1 } }),
  ],
  [
    "bytes of an unknown key",
    LIMITS.stringBytes,
    (size) => parseMessage({ ...message(0), ["k".repeat(size)]: 1 }),
  ],
  ["parts of a message", LIMITS.partsPerMessage, (size) => parseMessage(message(size))],
  [
    "parts of a tool response",
    LIMITS.partsPerMessage,
    (size) =>
      parseMessage({
        role: "tool",
        content: [{ toolResponse: { name: "t", content: message(size).content } }],
      }),
  ],
  [
    "answers to resume with",
    LIMITS.partsPerMessage,
    (size) =>
      parseAgentInput({
        resume: { respond: Array.from({ length: size }, () => ({ toolResponse: { name: "t" } })) },
      }),
  ],
  [
    "characters of an id",
    LIMITS.idLength,
    (size) => parseAgentInit({ sessionId: "x".repeat(size) }),
  ],
];

describe("the limits", () => {
  it.each(STRICT)("hold for %s: %i", (_name, most, work) => {
    expect(() => work(most - 1)).not.toThrow();
    expect(() => work(most)).not.toThrow();
    for (const size of [most + 1, most * 10]) {
      expect(refusalOf(() => work(size))).toMatchObject({
        status: "INVALID_ARGUMENT",
        reason: "LIMIT_EXCEEDED",
      });
    }
  });

  it("hold for bytes of JSON text", () => {
    const stringBytes = LIMITS.textBytes * 10;
    const work = (size: number): Json => parseJson(`"${"x".repeat(size - 2)}"`, { stringBytes });
    expect(work(LIMITS.textBytes)).toHaveLength(LIMITS.textBytes - 2);
    expect(refusalOf(() => work(LIMITS.textBytes + 1)).reason).toBe("LIMIT_EXCEEDED");
    expect(refusalOf(() => work(LIMITS.textBytes * 10)).reason).toBe("LIMIT_EXCEEDED");
  });

  it("stop at a shared object that unfolds without end", () => {
    let value: Json = [0];
    for (let level = 0; level < 50; level += 1) value = [value, value];
    expect(refusalOf(() => parseSessionState({ custom: value })).reason).toBe("LIMIT_EXCEEDED");
  });

  it.each<[keyof LimitOptions, unknown]>([
    ["depth", { custom: [[[]]] }],
    ["nodes", { custom: [1, 2, 3] }],
    ["stringBytes", { custom: "abcd" }],
    ["idLength", { sessionId: "abcd" }],
    ["partsPerMessage", { messages: [message(4)] }],
  ])("can be lowered: %s", (name, value) => {
    expect(parseSessionState(value)).toStrictEqual(value);
    expect(() => parseSessionState(value, { limits: { [name]: 3 } })).toThrow(/must be/);
  });

  it("can be raised", () => {
    expect(parseMessage(message(100), { limits: { partsPerMessage: 100 } }).content).toHaveLength(
      100,
    );
    expect(() =>
      parseSessionState({ custom: nested(900) }, { limits: { depth: 1000 } }),
    ).not.toThrow();
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "64", null])(
    "cannot be set to %s",
    (value) => {
      const limits = { depth: value as number };
      expect(() => parseMessage(message(1), { limits })).toThrow("The limit depth must be");
      expect(() => parseJson("1", limits)).toThrow("The limit depth must be");
    },
  );

  it("cannot be set deeper than the call stack allows", () => {
    expect(() => parseMessage(message(1), { limits: { depth: 1001 } })).toThrow("from 1 to 1000");
  });

  it("are wider for what a chosen server answers", () => {
    const long = "x".repeat(LIMITS.stringBytes + 1);
    const answer = {
      message: { role: "model", content: [{ text: long }] },
      state: { messages: [message(65)] },
    };
    expect(parseAgentOutput(answer)).toStrictEqual(answer);
    expect(ANSWER_LIMITS.nodes).toBeGreaterThan(LIMITS.nodes);
  });
});
