import { describe, expect, it } from "vitest";
import { GrownList } from "../../src/ledger/index.ts";

describe("a list that grew", () => {
  it("leaves the one it grew from as it was", () => {
    const short = GrownList.of(["a"]).grow(["b"]);
    const long = short.grow(["c", "d"]);
    expect(short.all()).toEqual(["a", "b"]);
    expect([short.length, short.last(), short.from(1)]).toEqual([2, "b", ["b"]]);
    expect(long.all()).toEqual(["a", "b", "c", "d"]);
    expect([long.length, long.last(), long.from(2)]).toEqual([4, "d", ["c", "d"]]);
  });

  it("is not seen by another that grew from the same one", () => {
    const start = GrownList.of(["a"]);
    const [left, right] = [start.grow(["left"]), start.grow(["right"])];
    const more = left.grow(["more"]);
    expect([left, right, more].map((list) => list.all())).toEqual([
      ["a", "left"],
      ["a", "right"],
      ["a", "left", "more"],
    ]);
    expect(start.all()).toEqual(["a"]);
  });

  it("grows from a frozen array without touching it", () => {
    const given = Object.freeze(["a"]);
    const list = GrownList.of(given);
    expect(list.grow(["b"]).all()).toEqual(["a", "b"]);
    expect(list.all()).toBe(given);
  });

  it("is itself when nothing is added", () => {
    const list = GrownList.of(["a"]);
    expect(list.grow([])).toBe(list);
  });
});

describe("all of a list", () => {
  it("is one frozen array that later growth does not reach", () => {
    const list = GrownList.of(["a"]);
    const all = list.all();
    list.grow(["b"]);
    expect(list.all()).toBe(all);
    expect(all).toEqual(["a"]);
    expect(Object.isFrozen(all)).toBe(true);
  });

  it("is what JSON says of it, and what it is iterated by", () => {
    const list = GrownList.of([1]).grow([2]);
    list.grow([3]);
    expect(JSON.stringify({ list })).toBe('{"list":[1,2]}');
    expect([...list]).toEqual([1, 2]);
  });
});

describe("what a list begins with", () => {
  const [a, b, c] = [{ name: "a" }, { name: "b" }, { name: "c" }];
  const start = GrownList.of([a]);
  const grown = start.grow([b]);

  it.each([
    ["itself", start, start, true],
    ["what it grew from", grown, start, true],
    ["what grew from it", start, grown, false],
    ["the same elements of another list", GrownList.of([a, b, c]), grown, true],
    ["equal elements that are not the same", GrownList.of([{ name: "a" }, b]), start, false],
    ["other elements behind the same beginning", start.grow([c]), grown, false],
    ["nothing", start, GrownList.of<typeof a>([]), true],
  ])("is told of %s", (_, list, beginning, expected) => {
    expect(list.beginsWith(beginning)).toBe(expected);
  });
});
