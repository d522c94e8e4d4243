import { httpCodeOf, isStatusName, STATUS, TurnkeepError } from "turnkeep/protocol";
import { describe, expect, it } from "vitest";

describe("TurnkeepError", () => {
  it("carries status, reason, details and cause", () => {
    const cause = new Error("disk");
    const error = new TurnkeepError("UNAVAILABLE", "Try again.", {
      cause,
      reason: "STORE_BUSY",
      retryable: true,
      details: { waitMs: 5 },
    });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "TurnkeepError",
      message: "Try again.",
      status: "UNAVAILABLE",
      reason: "STORE_BUSY",
      retryable: true,
      details: { waitMs: 5 },
      cause,
    });
  });

  it("has no reason, details or cause unless told", () => {
    const error = new TurnkeepError("INTERNAL", "Broke.");
    expect(error).toMatchObject({ reason: undefined, retryable: false, details: {} });
    expect("cause" in error).toBe(false);
  });

  it("is known across copies of the package, and nothing else is taken for it", () => {
    expect(TurnkeepError.is(new TurnkeepError("INTERNAL", "x"))).toBe(true);
    expect(TurnkeepError.is({ [Symbol.for("turnkeep/error")]: true })).toBe(true);
    for (const other of [new Error("x"), null, undefined, "x", {}])
      expect(TurnkeepError.is(other)).toBe(false);
  });
});

describe("the statuses", () => {
  it("number 17, without gap", () => {
    const codes = Object.values(STATUS).map(({ code }) => code);
    expect(codes.toSorted((left, right) => left - right)).toStrictEqual([...Array(17).keys()]);
  });

  it("each have an HTTP code", () => {
    expect(httpCodeOf("OK")).toBe(200);
    expect(httpCodeOf("NOT_FOUND")).toBe(404);
    expect(httpCodeOf("RESOURCE_EXHAUSTED")).toBe(429);
  });

  it("are known by name, inherited names excluded", () => {
    expect(isStatusName("ABORTED")).toBe(true);
    for (const other of ["constructor", "__proto__", "aborted", "", 10, null])
      expect(isStatusName(other)).toBe(false);
  });
});
