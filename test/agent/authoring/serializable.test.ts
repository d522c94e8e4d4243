import { defineCustomAgent, type Json, type Message } from "turnkeep";
import { describe, expect, it } from "vitest";
import { Session } from "../../../src/agent/session.ts";
import { model } from "./turns.ts";

class Money {
  readonly amount = 1;
}

const CIRCULAR: { self?: unknown } = {};
CIRCULAR.self = CIRCULAR;

// What JSON has no word for, and how the error names it.
const REFUSED: readonly (readonly [kind: string, value: unknown])[] = [
  ["Map", new Map([["a", 1]])],
  ["Set", new Set([1])],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["function", () => 1],
  ["symbol", Symbol("s")],
  ["bigint", 1n],
  ["Money", new Money()],
  ["RegExp", /x/],
  ["Uint8Array", new Uint8Array(2)],
  ["undefined in a list", [undefined]],
];

/** Every way to put a value into a session, and the name of its place in errors. */
const WAYS: readonly (readonly [way: string, place: string, put: Put])[] = [
  ["setCustom", "custom", (session, value) => session.setCustom({ items: [0, value] } as never)],
  [
    "updateCustom, by a draft",
    "custom",
    (session, value) =>
      session.updateCustom((draft) => {
        (draft as { items: unknown[] }).items = [0, value];
      }),
  ],
  [
    "updateCustom, by a returned state",
    "custom",
    (session, value) => session.updateCustom(() => ({ items: [0, value] }) as never),
  ],
  [
    "updateCustom, by a frozen state",
    "custom",
    (session, value) =>
      session.updateCustom(() => Object.freeze({ items: Object.freeze([0, value]) }) as never),
  ],
  [
    "setPromptInput",
    "promptInput",
    (session, value) => session.setPromptInput({ items: [0, value] } as never),
  ],
  [
    "addMessages",
    "message.metadata",
    (session, value) =>
      session.addMessages({ ...model("x"), metadata: { items: [0, value] } } as never),
  ],
  [
    "setMessages",
    "message.metadata",
    (session, value) =>
      session.setMessages([{ ...model("x"), metadata: { items: [0, value] } } as never]),
  ],
  [
    "addArtifacts",
    "artifact.metadata",
    (session, value) =>
      session.addArtifacts({ parts: [], metadata: { items: [0, value] } } as never),
  ],
];

type Put = (session: Session, value: unknown) => void;

describe.each(WAYS)("%s", (_, place, put) => {
  it.each(REFUSED)("refuses a %s and names its place", (kind, value) => {
    const session = new Session("s");
    session.setCustom({ items: [] });
    const before = session.content;
    const [at, what] =
      kind === "undefined in a list"
        ? [`${place}.items[1][0]`, "undefined"]
        : [`${place}.items[1]`, kind];
    expect(() => put(session, value)).toThrow(
      expect.objectContaining({
        status: "INVALID_ARGUMENT",
        message: `Value at ${at} is not JSON-serializable (${what}).`,
        details: { path: at },
      }),
    );
    expect(session.content).toBe(before);
  });

  it("refuses a value that contains itself", () => {
    const session = new Session("s");
    session.setCustom({ items: [] });
    expect(() => put(session, CIRCULAR)).toThrow(/is not JSON-serializable \(circular/);
  });

  it("stores an object that has toJSON as what it returns, dates as text", () => {
    const session = new Session("s");
    session.setCustom({ items: [] });
    put(session, { at: new Date(0), link: new URL("https://example.com") });
    const stored = JSON.stringify(session.state());
    expect(stored).toContain('{"at":"1970-01-01T00:00:00.000Z","link":"https://example.com/"}');
    expect(JSON.parse(stored)).toEqual(session.state());
  });

  it("leaves out members that are undefined", () => {
    const session = new Session("s");
    session.setCustom({ items: [] });
    put(session, { kept: 1, left: undefined });
    expect(JSON.stringify(session.state())).toContain('{"kept":1}');
  });
});

describe("an odd key", () => {
  it("is quoted in the place of what is refused", () => {
    const session = new Session<Json>("s");
    expect(() => session.setCustom({ "a b": [{ "c.d": Number.NaN }] })).toThrow(
      'Value at custom["a b"][0]["c.d"] is not JSON-serializable (NaN).',
    );
  });

  it.each(["__proto__", "constructor", "prototype"])("named %s is refused everywhere", (key) => {
    const session = new Session<Json>("s");
    const value = JSON.parse(`{"list":[{"${key}":1}]}`) as Json;
    const message = new RegExp(`list\\[0\\] has the reserved key "${key}"`);
    expect(() => session.setCustom(value)).toThrow(message);
    expect(() => session.updateCustom(() => value)).toThrow(message);
    expect(() => session.setPromptInput(value)).toThrow(message);
  });
});

describe("what is streamed", () => {
  it.each(["status", "modelChunk", "chunk"] as const)(
    "by respond.%s is refused when it is not JSON",
    async (way) => {
      const agent = defineCustomAgent({ name: "a" }, async ({ session, respond }) => {
        await session.run(() => respond[way]({ content: [{ data: new Map() }] } as never));
      });
      const { error } = await agent.runText("hi");
      expect(error).toMatchObject({
        status: "INVALID_ARGUMENT",
        message: `Value at ${way}.content[0].data is not JSON-serializable (Map).`,
      });
    },
  );
});

describe("an object of a library", () => {
  class LibraryMessage implements Message {
    readonly role = "model";
    readonly content = [{ text: "hello" }];
    readonly parse = (): string => "hello";

    toJSON(): Message {
      return { role: this.role, content: this.content };
    }
  }

  it("is stored as plain data when it has toJSON", () => {
    const session = new Session("s");
    session.addMessages(new LibraryMessage());
    expect(session.messages()).toEqual([{ role: "model", content: [{ text: "hello" }] }]);
    expect(Object.getPrototypeOf(session.messages()[0])).toBe(Object.prototype);
  });

  it("of another realm counts as plain", () => {
    const foreign = Object.create(Object.create(null) as object) as { n: number };
    foreign.n = 1;
    const session = new Session<Json>("s");
    session.setCustom(foreign);
    expect(session.custom()).toEqual({ n: 1 });
  });
});
