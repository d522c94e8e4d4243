import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyStateTransform,
  applyStreamTransform,
  type StateTransform,
  type StreamTransform,
} from "../../src/agent/transforms.ts";
import { systemTimers, type Timers } from "../../src/ledger/index.ts";
import { type SessionState, TurnkeepError } from "../../src/protocol/index.ts";

const CANARY = "canary-4711";
const context = { auth: { role: "guest" } };
const options = { context, timers: systemTimers };

type Secretive = { secret?: string; shown: string };

const state = (): SessionState<Secretive> => ({
  sessionId: "s1",
  messages: [{ role: "user", content: [{ text: CANARY }] }],
  custom: { secret: CANARY, shown: "yes" },
  artifacts: [],
});

const hideSecret: StateTransform<Secretive> = ({ custom, ...rest }) => ({
  ...rest,
  custom: { shown: custom?.shown ?? "" },
});

// Fires when it is told, and shows how many sleeps were left behind.
function manualTimers(): Timers & { readonly fire: () => void; readonly open: () => number } {
  const sleepers = new Set<() => void>();
  return {
    sleep: (_, { signal } = {}) =>
      new Promise((resolve, reject) => {
        sleepers.add(resolve);
        signal?.addEventListener("abort", () => {
          sleepers.delete(resolve);
          reject(signal.reason as Error);
        });
      }),
    after: () => () => {},
    fire: () => sleepers.forEach((wake) => wake()),
    open: () => sleepers.size,
  };
}

function expectSealed(error: unknown): asserts error is TurnkeepError {
  expect(error).toMatchObject({ name: "TurnkeepError", reason: "REDACTION_FAILED" });
  const { message, details } = error as TurnkeepError;
  expect(JSON.stringify({ message, details })).not.toContain(CANARY);
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.unreachable("it should have failed"),
    (error: unknown) => error,
  );

describe("a state transform", () => {
  test("rewrites what a client sees", async () => {
    const seen = await applyStateTransform(hideSecret, state(), options);
    expect(seen).toEqual({ ...state(), custom: { shown: "yes" } });
  });

  test("may wait, and is given the call's context", async () => {
    const byRole: StateTransform<Secretive> = async (whole, { auth }) => {
      await Promise.resolve();
      return auth === context.auth ? { ...whole, messages: [] } : whole;
    };
    expect(await applyStateTransform(byRole, state(), options)).toMatchObject({ messages: [] });
  });

  test("may change what it gets, since that is a copy", async () => {
    const original = Object.freeze(state());
    const inPlace: StateTransform<Secretive> = (copy) => {
      delete copy.custom?.secret;
      (copy.messages as unknown[]).length = 0;
      return copy;
    };
    const seen = await applyStateTransform(inPlace, original, options);
    expect(seen).toEqual({ ...state(), custom: { shown: "yes" }, messages: [] });
    expect(original).toEqual(state());
  });

  test("cannot change what was sent by keeping hold of it", async () => {
    let kept: SessionState<Secretive> | undefined;
    const keep: StateTransform<Secretive> = (copy) => (kept = copy);
    const seen = await applyStateTransform(keep, state(), options);
    kept!.custom!.shown = "later";
    expect(seen?.custom?.shown).toBe("yes");
  });

  test("may drop the state", async () => {
    expect(await applyStateTransform(() => undefined, state(), options)).toBeUndefined();
    const later = applyStateTransform(() => Promise.resolve(undefined), state(), options);
    expect(await later).toBeUndefined();
  });

  test.each([{}, { sessionId: "other" }, { sessionId: "" }])(
    "cannot change which session it is by returning %j",
    async (returned) => {
      expect(await applyStateTransform(() => returned, state(), options)).toEqual({
        sessionId: "s1",
      });
      expect(await applyStateTransform(() => returned, {}, options)).toEqual({});
    },
  );

  test("costs nothing where there is none", async () => {
    const original = state();
    expect(await applyStateTransform(undefined, original, options)).toBe(original);
  });

  test("handles states larger than a stranger may send", async () => {
    const custom = { text: "x".repeat(2_000_000), list: Array(150_000).fill(1) };
    expect(await applyStateTransform((whole) => whole, { custom }, options)).toEqual({ custom });
  });
});

describe("a stream transform", () => {
  const chunk = { status: { note: CANARY }, modelChunk: { content: [{ text: "hi" }] } };

  test("rewrites, drops or passes a chunk", async () => {
    const hideStatus: StreamTransform = ({ modelChunk }) =>
      modelChunk === undefined ? {} : { modelChunk };
    expect(await applyStreamTransform(hideStatus, chunk, options)).toEqual({
      modelChunk: chunk.modelChunk,
    });
    expect(await applyStreamTransform(() => undefined, chunk, options)).toBeUndefined();
    expect(await applyStreamTransform(undefined, chunk, options)).toBe(chunk);
  });

  test("owns the chunk it gets", async () => {
    const inPlace: StreamTransform = (copy) => {
      (copy.status as { note: string }).note = "hidden";
      return copy;
    };
    expect(await applyStreamTransform(inPlace, chunk, options)).toMatchObject({
      status: { note: "hidden" },
    });
    expect(chunk.status.note).toBe(CANARY);
  });

  test("fails closed", async () => {
    const fail = (): never => {
      throw new Error(CANARY);
    };
    expectSealed(await failureOf(applyStreamTransform(fail, chunk, options)));
    for (const garbage of [null, 1, { artifact: CANARY }, { customPatch: [{ op: CANARY }] }]) {
      const error = await failureOf(applyStreamTransform(() => garbage as never, chunk, options));
      expectSealed(error);
      expect(error.status).toBe("INTERNAL");
    }
  });
});

describe("a transform that fails", () => {
  test.each([
    [
      "throws",
      () => {
        throw new Error(CANARY);
      },
    ],
    ["rejects", () => Promise.reject(new Error(CANARY))],
    [
      "throws no error at all",
      () => {
        throw CANARY;
      },
    ],
    ["is no function", "transform"],
  ])("because it %s gives away nothing", async (_, transform) => {
    const error = await failureOf(applyStateTransform(transform as never, state(), options));
    expectSealed(error);
    expect(error.status).toBe("INTERNAL");
    expect(error.cause).toBeDefined();
  });

  test("keeps the status of its own TurnkeepError, and none of its words", async () => {
    const refuse = (): never => {
      throw new TurnkeepError("PERMISSION_DENIED", CANARY, { details: { CANARY } });
    };
    const error = await failureOf(applyStateTransform(refuse, state(), options));
    expectSealed(error);
    expect(error.status).toBe("PERMISSION_DENIED");
  });

  test.each([
    null,
    1,
    CANARY,
    [],
    { messages: CANARY },
    { custom: new Date(0) },
    { custom: { deep: () => CANARY } },
    { messages: [{ role: CANARY, content: [] }] },
  ])("because it returns %s gives away nothing", async (garbage) => {
    for (const returned of [garbage, Promise.resolve(garbage)]) {
      const error = await failureOf(applyStateTransform(() => returned as never, state(), options));
      expectSealed(error);
      expect(error.status).toBe("INTERNAL");
    }
  });

  test("because it returns null is told what to return instead", async () => {
    const hint = "It returned null: return undefined to send nothing.";
    const nothing = (): never => null as never;
    for (const applied of [
      applyStateTransform(nothing, state(), options),
      applyStreamTransform(nothing, { status: 1 }, options),
    ]) {
      const error = await failureOf(applied);
      expectSealed(error);
      expect(error.message).toContain(hint);
    }
  });

  test("because it takes too long is given up, whatever it does later", async () => {
    const timers = manualTimers();
    let finish: ((error: Error) => void) | undefined;
    const hanging = new Promise<never>((_, reject) => (finish = reject));
    const applied = applyStateTransform(() => hanging, state(), { context, timers });
    await Promise.resolve();
    timers.fire();
    const error = await failureOf(applied);
    expectSealed(error);
    expect(error.status).toBe("INTERNAL");
    finish?.(new Error("after the end"));
    await new Promise((resolve) => setTimeout(resolve));
  });

  test("has a second unless told otherwise", async () => {
    const waits: number[] = [];
    const timers: Timers = {
      sleep: async (milliseconds) => void waits.push(milliseconds),
      after: () => () => {},
    };
    const hang = (): Promise<never> => new Promise(() => {});
    await failureOf(applyStateTransform(hang, state(), { context, timers }));
    await failureOf(applyStateTransform(hang, state(), { context, timers, timeoutMs: 5 }));
    expect(waits).toEqual([1000, 5]);
  });

  test("or not, leaves no timer behind", async () => {
    const timers = manualTimers();
    await applyStateTransform(async (whole) => whole, state(), { context, timers });
    await failureOf(
      applyStateTransform(() => Promise.reject(new Error("no")), state(), { context, timers }),
    );
    expect(timers.open()).toBe(0);
  });

  test("never lets the canary out, whatever it returns", async () => {
    const returned = fc.oneof(
      fc.anything(),
      fc.record({ messages: fc.anything(), custom: fc.anything() }),
    );
    await fc.assert(
      fc.asyncProperty(returned, async (value) => {
        const work = applyStateTransform(() => value as never, state(), options);
        const answer = await work.catch((error: unknown) => {
          expectSealed(error);
          return {};
        });
        expect(JSON.stringify(answer ?? {})).not.toContain(CANARY);
      }),
    );
  });
});
