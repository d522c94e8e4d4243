import { arrayAt } from "./containers.ts";
import type { Place } from "./place.ts";
import type { Reader } from "./reader.ts";

/** An array of one shape. */
export function listOf<Item>(read: Reader<Item>): Reader<readonly Item[]> {
  return (value, place) => readItems(arrayAt(value, place), place, read);
}

/** An array of one shape, of no more items than a message may have parts. */
export function partListOf<Item>(read: Reader<Item>): Reader<readonly Item[]> {
  return (value, place) => {
    const items = arrayAt(value, place);
    const most = place.limits.partsPerMessage;
    if (items.length > most) place.exceed(`a list of at most ${most} parts`);
    return readItems(items, place, read);
  };
}

function readItems<Item>(
  items: readonly unknown[],
  place: Place,
  read: Reader<Item>,
): readonly Item[] {
  const found: Item[] = [];
  // By index, so that holes are read as well.
  for (let index = 0; index < items.length; index += 1) {
    found.push(read(items[index], place.item(index)));
  }
  return found;
}
