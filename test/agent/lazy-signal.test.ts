import { describe, expect, test } from "vitest";
import { withSignal } from "../../src/agent/lazy-signal.ts";

describe("withSignal", () => {
  test("makes the signal only when it is asked for", () => {
    let made = 0;
    const source = {
      get signal(): AbortSignal {
        made += 1;
        return AbortSignal.abort("over");
      },
    };
    const tools = withSignal({ name: "tools" }, source);
    expect([tools.name, made]).toEqual(["tools", 0]);
    expect([tools.signal.reason, made]).toEqual(["over", 1]);
  });

  test("is copied with the rest", () => {
    const { signal } = new AbortController();
    expect({ ...withSignal({ name: "tools" }, { signal }) }.signal).toBe(signal);
  });

  // A getter of its own would keep the whole run in memory until the next full collection.
  test("shares one getter among all objects", () => {
    const described = (): unknown =>
      Object.getOwnPropertyDescriptor(withSignal({}, new AbortController()), "signal");
    expect(described()).toMatchObject({ enumerable: true, get: expect.any(Function) });
    expect(described()).toEqual(described());
  });
});
