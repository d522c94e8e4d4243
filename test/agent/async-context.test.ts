import { afterEach, describe, expect, test, vi } from "vitest";
import { AsyncContext } from "../../src/agent/async-context.ts";

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

afterEach(() => vi.unstubAllGlobals());

describe("a context", () => {
  test("holds nothing outside of any work", () => {
    expect(new AsyncContext().get()).toBeUndefined();
  });

  test("gives the value inside the work, and the work's answer outside", () => {
    const context = new AsyncContext<string>();
    expect(context.run("a", () => `${context.get()}!`)).toBe("a!");
    expect(context.get()).toBeUndefined();
  });

  test("lets an inner value hide the outer one, and only there", () => {
    const context = new AsyncContext<string>();
    context.run("outer", () => {
      context.run("inner", () => expect(context.get()).toBe("inner"));
      expect(context.get()).toBe("outer");
    });
  });

  test("follows work that waits, and keeps works at the same time apart", async () => {
    const context = new AsyncContext<number>();
    const seen = await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        context.run(number, async () => {
          await pause();
          await context.run(number + 100, pause);
          return context.get();
        }),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 20 }, (_, number) => number));
  });

  test("lets the work's error through and holds nothing afterwards", async () => {
    const context = new AsyncContext<string>();
    const fail = (): never => {
      throw new RangeError("no");
    };
    expect(() => context.run("a", fail)).toThrow(RangeError);
    await expect(context.run("a", () => Promise.reject(new RangeError("no")))).rejects.toThrow(
      "no",
    );
    expect(context.get()).toBeUndefined();
  });

  test("is apart from every other context", () => {
    const one = new AsyncContext<string>();
    const other = new AsyncContext<string>();
    one.run("a", () => expect(other.get()).toBeUndefined());
  });
});

describe("where the runtime has no storage of its own", () => {
  test("the value is there until the work first waits", async () => {
    vi.stubGlobal("process", undefined);
    const context = new AsyncContext<string>();
    const later = context.run("outer", async () => {
      context.run("inner", () => expect(context.get()).toBe("inner"));
      expect(context.get()).toBe("outer");
      await pause();
      return context.get();
    });
    expect(context.get()).toBeUndefined();
    expect(await later).toBeUndefined();
  });

  test("an error leaves no value behind", () => {
    vi.stubGlobal("process", undefined);
    const context = new AsyncContext<string>();
    const fail = (): never => {
      throw new RangeError("no");
    };
    expect(() => context.run("a", fail)).toThrow(RangeError);
    expect(context.get()).toBeUndefined();
  });

  test("a global AsyncLocalStorage is taken", () => {
    const { AsyncLocalStorage } = process.getBuiltinModule("node:async_hooks");
    const made = vi.fn<() => void>();
    class Global<Value> extends AsyncLocalStorage<Value> {
      constructor() {
        super();
        made();
      }
    }
    vi.stubGlobal("process", undefined);
    vi.stubGlobal("AsyncLocalStorage", Global);
    const context = new AsyncContext<string>();
    expect(context.run("a", () => context.get())).toBe("a");
    expect(made).toHaveBeenCalledOnce();
  });
});
