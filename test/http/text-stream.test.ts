import { describe, expect, it } from "vitest";
import { type Outlet, type StreamKind, TextStream } from "../../src/http/text-stream.ts";
import { HandTimers } from "../support/hand-timers.ts";

const LIMITS = { pingMs: 1000, stallMs: 3000 };

/** A stream with a reader that takes as much as it is told to. */
function streamed(kind: StreamKind = {}) {
  const timers = new HandTimers();
  const seen: string[] = [];
  const reader = { takesMore: true };
  let ends = 0;
  const stream = new TextStream({ kind, limits: LIMITS, timers, onEnd: () => (ends += 1) });
  const outlet: Outlet = {
    write: (text) => {
      seen.push(text);
      return reader.takesMore;
    },
    end: () => seen.push("END"),
    break: ({ message }) => seen.push(`BROKEN: ${message}`),
  };
  return { stream, outlet, reader, timers, seen, ends: () => ends };
}

describe("a stream of text", () => {
  it("passes on at once what its reader takes, and what was said before it came", () => {
    const { stream, outlet, seen, ends } = streamed();
    expect(stream.say("a")).toBe(false);
    expect(stream.say("b")).toBe(false);
    stream.open(outlet);
    expect(stream.say("c")).toBe(true);
    stream.end();
    expect(seen).toEqual(["ab", "c", "END"]);
    expect([stream.say("d"), stream.isOver, ends()]).toEqual([false, true, 1]);
  });

  it("holds what its reader does not take, and ends when that was taken", async () => {
    const { stream, outlet, reader, seen, ends } = streamed();
    stream.open(outlet);
    reader.takesMore = false;
    expect(stream.say("a")).toBe(false);
    let isClear = false;
    const clear = stream.clear().then(() => (isClear = true));
    stream.say("bc");
    expect(stream.heldLength).toBe(2);
    stream.end();
    await Promise.resolve();
    expect([seen, isClear, ends()]).toEqual([["a"], false, 0]);
    stream.drained();
    await clear;
    expect([seen, ends()]).toEqual([["a", "bc", "END"], 1]);
  });

  it("drops a reader that takes nothing for too long, and not one that takes it late", () => {
    const { stream, outlet, reader, timers, seen, ends } = streamed();
    stream.open(outlet);
    reader.takesMore = false;
    stream.say("a");
    timers.pass(LIMITS.stallMs - 1);
    stream.drained();
    stream.say("b");
    timers.pass(LIMITS.stallMs - 1);
    expect(ends()).toBe(0);
    timers.pass(1);
    expect([seen.at(-1), ends(), timers.count]).toEqual([
      "BROKEN: The reader stopped reading.",
      1,
      0,
    ]);
  });

  it("says that it lives before it was quiet for too long, and never in between", () => {
    const { stream, outlet, timers, seen } = streamed({ ping: "." });
    stream.open(outlet);
    for (let count = 0; count < 10; count += 1) {
      timers.pass(LIMITS.pingMs / 2 - 1);
      stream.say("a");
    }
    expect(seen).not.toContain(".");
    timers.pass(LIMITS.pingMs);
    expect(seen.filter((text) => text === ".")).toHaveLength(1);
    timers.pass(5 * LIMITS.pingMs);
    expect(seen.filter((text) => text === ".")).toHaveLength(6);
    stream.end();
    expect(timers.count).toBe(0);
  });

  it("says no signs of life to one who does not read", () => {
    const { stream, outlet, reader, timers, seen } = streamed({ ping: "." });
    stream.open(outlet);
    reader.takesMore = false;
    stream.say("a");
    timers.pass(LIMITS.stallMs - 1);
    expect([seen, stream.heldLength]).toEqual([["a"], 0]);
  });

  it("ends after its time, and lets go of everything when its reader has gone", async () => {
    const short = streamed({ mostMs: 500, ping: "." });
    short.stream.open(short.outlet);
    short.stream.say("a");
    short.timers.pass(500);
    expect([short.seen, short.ends()]).toEqual([["a", "END"], 1]);
    const left = streamed({ ping: "." });
    left.reader.takesMore = false;
    left.stream.open(left.outlet);
    left.stream.say("a");
    left.stream.say("b");
    left.stream.cancel();
    await left.stream.clear();
    expect([left.seen, left.stream.heldLength, left.timers.count]).toEqual([["a"], 0, 0]);
    expect(left.ends()).toBe(1);
  });
});
