import { jsonEqual, type Json } from "../protocol/index.ts";
import type { GrownList } from "./grown-list.ts";

/** How to make a list from an earlier one, step by step: take a run of its elements, or add new ones. */
export type ListRecipe<Element> = readonly ListStep<Element>[];

type ListStep<Element> =
  | { readonly take: readonly [start: number, count: number] }
  | { readonly add: readonly Element[] };

export interface ListChange<Element> {
  readonly recipe: ListRecipe<Element>;
  readonly added: readonly Element[];
  readonly dropped: readonly Element[];
}

// Bounds the search when nothing of a long list is left: past this many looks per element, the rest counts as new.
const LOOKS_PER_ELEMENT = 4;

/** The change from `before` to `after`; costs no more than what was added where the one grew from the other. */
export function changeOfGrown<Element>(
  before: GrownList<Element>,
  after: GrownList<Element>,
): ListChange<Element> {
  if (!after.beginsWith(before)) return changeOfList(before.all(), after.all());
  const added = after.from(before.length);
  return { recipe: grownBy(before.length, added), added, dropped: [] };
}

/** The change from `before` to `after`; cheap when they share elements by reference. */
export function changeOfList<Element>(
  before: readonly Element[],
  after: readonly Element[],
): ListChange<Element> {
  if (before === after) return { recipe: grownBy(before.length, []), added: [], dropped: [] };
  const steps: ListStep<Element>[] = [];
  const taken = new Uint8Array(before.length);
  let looks = LOOKS_PER_ELEMENT * (before.length + after.length);
  let cursor = 0;
  let fresh: Element[] = [];
  const added: Element[] = [];
  for (let at = 0; at < after.length;) {
    const found = findFrom(before, cursor, { element: after[at]!, looks });
    looks -= found.looked;
    if (found.index === -1) {
      fresh.push(after[at]!);
      added.push(after[at]!);
      at += 1;
      continue;
    }
    const count = commonRun(before, found.index, { after, start: at });
    if (fresh.length > 0) steps.push({ add: fresh });
    fresh = [];
    steps.push({ take: [found.index, count] });
    taken.fill(1, found.index, found.index + count);
    cursor = found.index + count;
    at += count;
  }
  if (fresh.length > 0) steps.push({ add: fresh });
  return { recipe: steps, added, dropped: before.filter((_, index) => taken[index] === 0) };
}

/** @throws RangeError when a step takes what the list does not have. */
export function followRecipe<Element>(
  before: readonly Element[],
  recipe: ListRecipe<Element>,
): readonly Element[] {
  const after: Element[] = [];
  for (const step of recipe) {
    if ("add" in step) {
      for (const element of step.add) after.push(element);
      continue;
    }
    const [start, count] = step.take;
    if (start < 0 || count < 0 || start + count > before.length) {
      throw new RangeError("A list recipe takes elements that are not there.");
    }
    for (let index = start; index < start + count; index += 1) after.push(before[index]!);
  }
  return after;
}

/** How many leading elements the recipe keeps in place. */
export function keptPrefix(recipe: ListRecipe<unknown>): number {
  const first = recipe[0];
  return first !== undefined && "take" in first && first.take[0] === 0 ? first.take[1] : 0;
}

function grownBy<Element>(length: number, added: readonly Element[]): ListRecipe<Element> {
  const steps: ListStep<Element>[] = [];
  if (length > 0) steps.push({ take: [0, length] });
  if (added.length > 0) steps.push({ add: added });
  return steps;
}

function findFrom<Element>(
  list: readonly Element[],
  start: number,
  { element, looks }: { readonly element: Element; readonly looks: number },
): { readonly index: number; readonly looked: number } {
  const end = Math.min(list.length, start + Math.max(looks, 0));
  for (let index = start; index < end; index += 1) {
    if (same(list[index], element)) return { index, looked: index - start };
  }
  return { index: -1, looked: end - start };
}

function commonRun<Element>(
  before: readonly Element[],
  from: number,
  { after, start }: { readonly after: readonly Element[]; readonly start: number },
): number {
  const most = Math.min(before.length - from, after.length - start);
  let count = 1;
  while (count < most && same(before[from + count], after[start + count])) count += 1;
  return count;
}

function same(left: unknown, right: unknown): boolean {
  return left === right || jsonEqual(left as Json, right as Json);
}
