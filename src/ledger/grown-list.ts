// From a list to the settled one that it begins with. Looking it up spares comparing a long history element by element.
const beginnings = new WeakMap<readonly unknown[], readonly unknown[]>();

// Shorter lists are compared faster than looked up.
const REMEMBERED_FROM = 16;

/** The list with more at its end. What is built up this way is recognised as grown without comparing its elements. */
export function growList<Element>(
  list: readonly Element[],
  added: readonly Element[],
): readonly Element[] {
  const grown = Object.freeze([...list, ...added]);
  if (grown.length >= REMEMBERED_FROM) beginnings.set(grown, beginnings.get(list) ?? list);
  return grown;
}

/** Makes the list a beginning in its own right, and lets go of the one it grew from. */
export function settleList(list: readonly unknown[]): void {
  beginnings.delete(list);
}

/** Whether the list begins with the very elements of `start`, compared by reference. */
export function isGrownFrom(list: readonly unknown[], start: readonly unknown[]): boolean {
  if (list === start || beginnings.get(list) === start) return true;
  if (list.length < start.length) return false;
  for (let index = 0; index < start.length; index += 1) {
    if (list[index] !== start[index]) return false;
  }
  return true;
}
