import { describe, expect, test } from "vitest";
import type { SnapshotMeta } from "../../studio/api/types.ts";
import { layOut } from "../../studio/session/tree-layout.ts";

// Each with its parent, the oldest first.
function tree(...pairs: readonly (readonly [string, string?])[]): readonly SnapshotMeta[] {
  return pairs.map(([snapshotId, parentId]) => ({
    snapshotId,
    ...(parentId !== undefined && { parentId }),
    sessionId: "s",
    event: "turn-end",
    createdAt: "2026-11-16T08:00:00.000Z",
    labels: [],
    isPinned: false,
  }));
}

describe("the lanes of a tree", () => {
  test("are one for a session without branches", () => {
    const { rows, lanes } = layOut(tree(["a"], ["b", "a"], ["c", "b"]));
    expect(lanes).toBe(1);
    expect(rows.map(({ snapshot, depth }) => [snapshot.snapshotId, depth])).toEqual([
      ["c", 3],
      ["b", 2],
      ["a", 1],
    ]);
  });

  test("are one for each of three siblings, and meet where they began", () => {
    const { rows, lanes } = layOut(tree(["root"], ["x", "root"], ["y", "root"], ["z", "root"]));
    expect(lanes).toBe(3);
    expect(rows.map(({ snapshot, lane, joins }) => [snapshot.snapshotId, lane, joins])).toEqual([
      ["z", 0, []],
      ["y", 1, []],
      ["x", 2, []],
      ["root", 0, [1, 2]],
    ]);
    expect(rows.map(({ above, below }) => [above, below])).toEqual([
      [[], [0]],
      [[0], [0, 1]],
      [
        [0, 1],
        [0, 1, 2],
      ],
      [[0, 1, 2], []],
    ]);
  });

  test("are free again for others, and begin anew where a parent is gone", () => {
    const { rows, lanes } = layOut(tree(["a"], ["b", "a"], ["c", "a"], ["d", "c"], ["e", "gone"]));
    expect(lanes).toBe(2);
    const of = (id: string) => rows.find(({ snapshot }) => snapshot.snapshotId === id);
    expect(of("e")).toMatchObject({ lane: 0, isRoot: true, depth: 1 });
    expect(of("d")).toMatchObject({ lane: 0, isRoot: false, depth: 3 });
    expect(of("b")).toMatchObject({ lane: 1, joins: [] });
    expect(of("a")).toMatchObject({ lane: 0, joins: [1], isRoot: true });
  });
});
