import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PatchTracker } from "../../src/agent/patch-tracker.ts";
import { updateCustom } from "../../src/agent/update-custom.ts";
import { applyPatch, type Json } from "../../src/protocol/index.ts";

const whole = (value: Json): unknown => [{ op: "replace", path: "", value }];

describe("the first patch of a turn", () => {
  test("replaces the whole state, in every turn", () => {
    const tracker = new PatchTracker();
    tracker.startTurn();
    expect(tracker.next({ count: 1 })).toEqual(whole({ count: 1 }));
    tracker.startTurn();
    expect(tracker.next({ count: 2 })).toEqual(whole({ count: 2 }));
  });

  test("replaces the whole state even before a turn was started", () => {
    expect(new PatchTracker().next({ count: 1 })).toEqual(whole({ count: 1 }));
    expect(new PatchTracker({ count: 0 }).next({ count: 1 })).toEqual(whole({ count: 1 }));
  });

  test("is not sent while clients have the state already", () => {
    const tracker = new PatchTracker({ count: 1, list: [] });
    tracker.startTurn();
    expect(tracker.next({ list: [], count: 1 })).toEqual([]);
    expect(tracker.next({ count: 2, list: [] })).toEqual(whole({ count: 2, list: [] }));
  });
});

describe("a later patch of a turn", () => {
  test("names only what changed since the last one", () => {
    const tracker = new PatchTracker();
    tracker.startTurn();
    tracker.next({ mood: "calm", steps: ["a"] });
    expect(tracker.next({ mood: "glad", steps: ["a"] })).toEqual([
      { op: "replace", path: "/mood", value: "glad" },
    ]);
    expect(tracker.next({ mood: "glad", steps: ["a", "b"] })).toMatchObject([
      { op: "add", value: "b" },
    ]);
  });

  test("is not sent when nothing changed", () => {
    const tracker = new PatchTracker();
    tracker.next({ count: 1 });
    expect(tracker.next({ count: 1 })).toEqual([]);
    expect(tracker.next({ count: 1, absent: undefined })).toEqual([]);
  });

  test("replaces the whole state where that is shorter", () => {
    const tracker = new PatchTracker();
    tracker.next(Object.fromEntries(Array.from({ length: 50 }, (_, key) => [`key ${key}`, key])));
    expect(tracker.next({})).toEqual(whole({}));
  });
});

describe("a state that is not there", () => {
  test("is not sent when there never was one", () => {
    const tracker = new PatchTracker();
    tracker.startTurn();
    expect(tracker.next(undefined)).toEqual([]);
    expect(tracker.next(null)).toEqual(whole(null));
  });

  test("is sent once as null when there was one", () => {
    const tracker = new PatchTracker({ count: 1 });
    expect(tracker.next(undefined)).toEqual(whole(null));
    expect(tracker.next(undefined)).toEqual([]);
    expect(tracker.next(null)).toEqual([]);
    expect(tracker.next({ count: 2 })).toEqual(whole({ count: 2 }));
  });
});

test("a client that applies every patch has what the session has", () => {
  const step = fc.record({
    startsTurn: fc.boolean(),
    custom: fc.option(fc.jsonValue(), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const tracker = new PatchTracker();
      let client: Json = null;
      for (const { startsTurn, custom } of steps) {
        if (startsTurn) tracker.startTurn();
        client = applyPatch(client, tracker.next(custom));
        expect(client).toEqual(custom ?? null);
      }
    }),
  );
});

test("a client that joins with a turn has what the session has after its first patch", () => {
  const tracker = new PatchTracker();
  type State = { readonly seen?: boolean; count: number };
  let custom: State = { seen: true, count: 0 };
  tracker.next(custom);
  tracker.startTurn();
  let client: Json = null;
  for (let change = 0; change < 3; change += 1) {
    custom = updateCustom(custom, (draft) => {
      draft.count += 1;
    });
    client = applyPatch(client, tracker.next(custom));
  }
  expect(client).toEqual({ seen: true, count: 3 });
});
