import { describe, expect, it } from "vitest";
import { EventPace } from "../../src/agent/event-pace.ts";
import type { Timers } from "../../src/ledger/index.ts";
import { fakeClock } from "../../src/testing/index.ts";

/** Timers that fire when told, so late as told. */
function lateTimers(lateMs: number, clock: ReturnType<typeof fakeClock>): Timers {
  return {
    sleep: async () => {},
    after: (milliseconds, call) => {
      clock.advance(milliseconds + lateMs);
      call();
      return () => {};
    },
  };
}

function paceAfter(waits: number, lateMs: number): EventPace {
  const clock = fakeClock();
  const pace = new EventPace(clock);
  for (let count = 0; count < waits; count += 1) pace.wait(lateTimers(lateMs, clock), () => {});
  return pace;
}

describe("the pace of events", () => {
  it("is 25 ms as long as the process keeps up", () => {
    expect(paceAfter(0, 0).batchMs).toBe(25);
    expect(paceAfter(100, 0).batchMs).toBe(25);
  });

  it("slows down when timers are late, the later the more, and never past a quarter of a second", () => {
    expect(paceAfter(100, 10).batchMs).toBe(85);
    expect(paceAfter(100, 1000).batchMs).toBe(250);
  });

  it("is hardly changed by one late timer", () => {
    expect(paceAfter(1, 20).batchMs).toBeLessThan(40);
  });

  it("comes back when timers are on time again", () => {
    const clock = fakeClock();
    const pace = new EventPace(clock);
    for (let count = 0; count < 100; count += 1) pace.wait(lateTimers(100, clock), () => {});
    for (let count = 0; count < 100; count += 1) pace.wait(lateTimers(0, clock), () => {});
    expect(pace.batchMs).toBe(25);
  });

  it("calls back once for each wait", () => {
    const clock = fakeClock();
    let calls = 0;
    new EventPace(clock).wait(lateTimers(0, clock), () => (calls += 1));
    expect(calls).toBe(1);
  });
});
