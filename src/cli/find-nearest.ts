const MAX_DISTANCE = 2;

/** The name that was most likely meant by a misspelt one; `undefined` when none is close. */
export function findNearest(given: string, names: Iterable<string>): string | undefined {
  const near = [...names]
    .map((name) => ({ name, distance: distanceBetween(given, name) }))
    .filter(({ name, distance }) => distance <= Math.min(MAX_DISTANCE, name.length / 2))
    .toSorted((left, right) => left.distance - right.distance);
  return near[0]?.name;
}

/** How many letters have to be added, removed, replaced or swapped with the next one. */
function distanceBetween(left: string, right: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(beforeLast, column - 2) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, right.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
