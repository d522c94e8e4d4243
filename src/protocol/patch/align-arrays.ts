import type { Json } from "../json.ts";
import { findCommonItems, type CommonItem } from "./common-items.ts";
import { jsonEqual } from "./json-equal.ts";

/** A stretch of two arrays that differs: items `start` up to, not including, `end` of each. */
export type Hunk = {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
};

/** Where two arrays differ, from left to right. Between two hunks, and around them, the items are equal. */
export function alignArrays(before: readonly Json[], after: readonly Json[]): readonly Hunk[] {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const whole: Hunk = {
    beforeStart: start,
    beforeEnd: before.length - end,
    afterStart: start,
    afterEnd: after.length - end,
  };
  const common = findCommonItems(
    before.slice(whole.beforeStart, whole.beforeEnd),
    after.slice(whole.afterStart, whole.afterEnd),
  );
  return splitAround(whole, common);
}

function commonStart(before: readonly Json[], after: readonly Json[]): number {
  const most = Math.min(before.length, after.length);
  let count = 0;
  while (count < most && jsonEqual(before[count], after[count])) count += 1;
  return count;
}

function commonEnd(before: readonly Json[], after: readonly Json[], start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let count = 0;
  while (count < most && jsonEqual(before.at(-1 - count), after.at(-1 - count))) count += 1;
  return count;
}

function splitAround(whole: Hunk, common: readonly CommonItem[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let { beforeStart, afterStart } = whole;
  for (const item of common) {
    const beforeEnd = whole.beforeStart + item.before;
    const afterEnd = whole.afterStart + item.after;
    hunks.push({ beforeStart, beforeEnd, afterStart, afterEnd });
    beforeStart = beforeEnd + 1;
    afterStart = afterEnd + 1;
  }
  hunks.push({ ...whole, beforeStart, afterStart });
  return hunks.filter((hunk) => !isEmpty(hunk));
}

function isEmpty({ beforeStart, beforeEnd, afterStart, afterEnd }: Hunk): boolean {
  return beforeStart === beforeEnd && afterStart === afterEnd;
}
