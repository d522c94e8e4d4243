import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ClientStateKeeper } from "../../src/agent/client-state.ts";
import {
  LIMITS,
  parseSessionState,
  type Json,
  type SessionState,
  type TurnkeepError,
} from "../../src/protocol/index.ts";
import { fakeClock } from "../../src/testing/index.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const NEWER = "another secret, which is long enough too";
const HOUR = 3_600_000;
const about = { tenant: "acme", agent: "support" };

const STATE: SessionState = {
  sessionId: "user-42",
  messages: [
    { role: "user", content: [{ text: "Grüße, 世界 👋🏽 \u{1F469}\u200D\u{1F680}" }] },
    { role: "model", content: [{ toolRequest: { name: "refund", input: { amount: 10.5 } } }] },
  ],
  custom: { approved: false, amount: 10, list: [1, [null, "x"]], "key/with~odd\u0000": "\ud800" },
  artifacts: [{ name: "note.md", parts: [{ text: "# hi" }] }],
  promptInput: { role: "helper" },
};

type Options = Partial<ConstructorParameters<typeof ClientStateKeeper>[0]>;
const keeperWith = (options: Options = {}): ClientStateKeeper =>
  new ClientStateKeeper({ secret: SECRET, clock: fakeClock(), ...options });

// What a client does: it gets JSON, keeps it and sends it again.
const roundTrip = (state: SessionState): SessionState =>
  parseSessionState(JSON.parse(JSON.stringify(state)));

const refused = (work: Promise<unknown>, status = "INVALID_ARGUMENT"): Promise<void> =>
  expect(work).rejects.toMatchObject({ status, reason: "STATE_REFUSED" });

// Of keys that could reach a prototype, no session takes any.
const anyCustom = fc
  .jsonValue({ stringUnit: "binary" })
  .filter((value) => !/"(__proto__|constructor|prototype)":/.test(JSON.stringify(value)));

describe.each([
  ["signed", false],
  ["sealed", true],
])("a %s state", (_, seal) => {
  const keeper = keeperWith({ seal });

  test("comes back as it went out", async () => {
    const sent = roundTrip(await keeper.protect(STATE, about));
    expect(await keeper.open(sent, about)).toEqual(roundTrip(STATE));
  });

  test("may hold anything or nothing", async () => {
    for (const state of [{}, { sessionId: "s" }, { custom: null }, { messages: [] }]) {
      const sent = roundTrip(await keeper.protect(state, about));
      expect(await keeper.open(sent, about)).toEqual(state);
    }
  });

  test("comes back whatever custom state it holds", async () => {
    await fc.assert(
      fc.asyncProperty(anyCustom, async (value) => {
        const custom = { value: JSON.parse(JSON.stringify(value)) as Json };
        const sent = roundTrip(await keeper.protect({ custom }, about));
        expect(await keeper.open(sent, about)).toEqual({ custom });
      }),
    );
  });

  test("may be large", async () => {
    const custom = { text: "ü".repeat(120_000), more: Array(20_000).fill("eight by") as Json };
    const sent = roundTrip(await keeper.protect({ sessionId: "s", custom }, about));
    expect(await keeper.open(sent, about)).toEqual({ sessionId: "s", custom });
  });

  test("replaces the token it came with", async () => {
    const first = await keeper.protect(STATE, about);
    const second = await keeper.protect({ ...STATE, token: first.token! }, about);
    expect(await keeper.open(second, about)).toEqual(roundTrip(STATE));
  });

  test("is refused by another tenant, another agent, or with another secret", async () => {
    const sent = roundTrip(await keeper.protect(STATE, about));
    await refused(keeper.open(sent, { ...about, tenant: "other" }));
    await refused(keeper.open(sent, { ...about, agent: "other" }));
    await refused(keeperWith({ seal, secret: NEWER }).open(sent, about));
    // Nothing may be moved from one name to the next.
    const joined = await keeper.protect(STATE, { tenant: "ab", agent: "c" });
    await refused(keeper.open(joined, { tenant: "a", agent: "bc" }));
  });

  test("is refused under another session's id", async () => {
    const sent = roundTrip(await keeper.protect(STATE, about));
    const { sessionId: _dropped, ...anonymous } = sent;
    await refused(keeper.open({ ...sent, sessionId: "user-43" }, about));
    await refused(keeper.open(anonymous, about));
  });

  test("is refused when any character of it was changed", async () => {
    const sent = roundTrip(await keeper.protect(STATE, about));
    const text = JSON.stringify(sent);
    const change = fc.record({ at: fc.nat(text.length - 1), by: fc.string({ maxLength: 2 }) });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, by }) => {
        const changed = parsedOrNothing(text.slice(0, at) + by + text.slice(at + 1));
        fc.pre(changed !== undefined && !same(changed, sent));
        await refused(keeper.open(changed, about));
      }),
      { numRuns: 500 },
    );
  });

  test("is refused when any character of its token was changed", async () => {
    const sent = await keeper.protect({ sessionId: "s", custom: 1 }, about);
    const token = sent.token!;
    for (let at = 0; at < token.length; at += 1) {
      for (const other of ["A", "B", "0", "_", ".", ""]) {
        if (other === token[at]) continue;
        const changed = { ...sent, token: token.slice(0, at) + other + token.slice(at + 1) };
        await refused(keeper.open(changed, about));
      }
    }
  });

  test("is refused when a bit of the last byte was changed, even one that counts for nothing", async () => {
    const sent = await keeper.protect(STATE, about);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const others = Array.from(alphabet).filter((letter) => letter !== sent.token!.at(-1));
    for (const letter of others) {
      await refused(keeper.open({ ...sent, token: sent.token!.slice(0, -1) + letter }, about));
    }
  });

  test.each([undefined, "", "x", "signed", "signed.AAAAAAAA.1.AAAA", "sealed.AAAAAAAA.1.AA", "é"])(
    "is refused with the token %j",
    async (token) => {
      const { token: _dropped, ...bare } = await keeper.protect(STATE, about);
      await refused(keeper.open(token === undefined ? bare : { ...bare, token }, about));
    },
  );

  test("is refused when it is too old, and says what to do", async () => {
    const clock = fakeClock();
    const aging = keeperWith({ seal, clock });
    const sent = await aging.protect(STATE, about);
    clock.advance(24 * HOUR);
    await aging.open(sent, about);
    clock.advance(1);
    await refused(aging.open(sent, about), "FAILED_PRECONDITION");
    await expect(aging.open(sent, about)).rejects.toThrow(/Start again, or send the newest/);
    const brief = keeperWith({ seal, clock, maxAgeMs: 10 });
    const soonOld = await brief.protect(STATE, about);
    clock.advance(11);
    await refused(brief.open(soonOld, about), "FAILED_PRECONDITION");
  });

  test("says it was changed rather than that it is old, when both are true", async () => {
    const clock = fakeClock();
    const aging = keeperWith({ seal, clock });
    const sent = await aging.protect(STATE, about);
    clock.advance(48 * HOUR);
    await refused(aging.open({ ...sent, sessionId: "other" }, about));
  });

  test("outlives a change of secrets while the old one is listed", async () => {
    const old = await keeper.protect(STATE, about);
    const both = keeperWith({ seal, secret: [NEWER, SECRET] });
    expect(await both.open(old, about)).toEqual(roundTrip(STATE));
    const fresh = await both.protect(STATE, about);
    expect(await keeperWith({ seal, secret: NEWER }).open(fresh, about)).toEqual(roundTrip(STATE));
    await refused(keeper.open(fresh, about));
    await refused(keeperWith({ seal, secret: NEWER }).open(old, about));
  });

  test("is refused without a word of what it held", async () => {
    const sent = await keeper.protect(STATE, about);
    const error = (await keeper
      .open(sent, { ...about, agent: "x" })
      .catch((thrown: unknown) => thrown)) as TurnkeepError;
    expect(JSON.stringify([error.message, error.details, error.cause])).not.toMatch(
      /refund|user-42/,
    );
  });
});

describe("a signed state", () => {
  const keeper = keeperWith();

  test("can be read by the client", async () => {
    const { token, ...rest } = await keeper.protect(STATE, about);
    expect(rest).toEqual(STATE);
    expect(token).toMatch(/^signed\.[\w-]{8}\.1700000000000\.[\w-]{43}$/);
  });

  test("may come back with its keys in another order, and without its empty lists", async () => {
    const sent = await keeper.protect({ ...STATE, artifacts: [] }, about);
    const { artifacts: _dropped, ...rest } = sent;
    expect(await keeper.open(reversed(rest as Json) as SessionState, about)).toEqual(
      roundTrip({ ...rest, token: undefined } as never),
    );
  });

  test("is taken by a keeper that seals by now", async () => {
    const sent = await keeper.protect(STATE, about);
    expect(await keeperWith({ seal: true }).open(sent, about)).toEqual(roundTrip(STATE));
  });
});

describe("a sealed state", () => {
  const keeper = keeperWith({ seal: true });

  test("shows nothing but its id, and never twice the same", async () => {
    const one = await keeper.protect(STATE, about);
    const other = await keeper.protect(STATE, about);
    expect(Object.keys(one)).toEqual(["sessionId", "token"]);
    expect(atob(one.token!.split(".")[3]!.replaceAll("-", "+").replaceAll("_", "/"))).not.toMatch(
      /refund/,
    );
    expect(one.token).not.toBe(other.token);
  });

  test("is refused with anything beside it", async () => {
    const sent = await keeper.protect(STATE, about);
    await refused(keeper.open({ ...sent, messages: [] }, about));
    await refused(keeper.open({ ...sent, custom: null }, about));
  });
});

describe("a keeper", () => {
  test.each([
    "",
    "31 bytes, which is one too few.",
    [],
    [SECRET, "short"],
    [SECRET, 7],
    undefined,
    7,
  ])("cannot be made with the secret %j, and does not repeat it", (secret) => {
    const make = (): unknown => keeperWith({ secret: secret as string });
    expect(make).toThrow("Each secret for the state of clients must be text of at least 32 bytes.");
  });

  test("counts the bytes of a secret, not its characters", () => {
    keeperWith({ secret: "ü".repeat(16) });
    expect(() => keeperWith({ secret: "u".repeat(31) })).toThrow(/32 bytes/);
  });

  test.each([0, -1, Number.NaN])("cannot be made with a maximum age of %d", (maxAgeMs) => {
    expect(() => keeperWith({ maxAgeMs })).toThrow(/above zero/);
  });

  test("refuses a state that is none", async () => {
    const sent = await keeperWith().protect(STATE, about);
    await expect(
      keeperWith().open({ ...sent, messages: "x" } as never, about),
    ).rejects.toMatchObject({ status: "INVALID_ARGUMENT" });
    await expect(keeperWith().protect(7 as never, about)).rejects.toMatchObject({
      status: "INVALID_ARGUMENT",
    });
  });
});

describe("the token of a state", () => {
  test("may be as long as the whole text", () => {
    const token = "x".repeat(LIMITS.textBytes);
    expect(parseSessionState({ token })).toEqual({ token });
    expect(() => parseSessionState({ token: `${token}x` })).toThrow(/at most/);
  });

  test.each([7, "", "a b", "ü", null])("is refused when it is %j", (token) => {
    expect(() => parseSessionState({ token })).toThrow("token must be a token.");
  });
});

function parsedOrNothing(text: string): SessionState | undefined {
  try {
    return parseSessionState(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function same(one: SessionState, other: SessionState): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function reversed(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  const members = Object.entries(value).map(([key, member]) => [key, reversed(member as Json)]);
  return Object.fromEntries(members.toReversed()) as Json;
}
