import { type KeyRange, type Row, underPrefix } from "../ledger/index.ts";
import { SortedKeys } from "./sorted-keys.ts";

/** The rows of one session, held in memory. */
export class MemoryRows {
  readonly #values = new Map<string, string>();
  // Made when they are first asked for in order: many sessions never are.
  #sorted: SortedKeys | undefined;

  get(key: string): string | undefined {
    return this.#values.get(key);
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  insert(row: Row): void {
    this.#values.set(inOnePiece(row.key), inOnePiece(row.value));
    this.#sorted?.add(row.key);
  }

  *between([from, to]: KeyRange): Generator<Row, void> {
    for (const key of this.#keys().between(from, to)) yield this.#rowAt(key);
  }

  findLastUnder(prefix: string): Row | undefined {
    return this.findLastBetween(underPrefix(prefix));
  }

  findLastBetween([from, to]: KeyRange): Row | undefined {
    const key = this.#keys().findLastBetween(from, to);
    return key === undefined ? undefined : this.#rowAt(key);
  }

  drop(ranges: readonly KeyRange[] | "all"): void {
    if (ranges === "all") {
      this.#values.clear();
      this.#sorted = undefined;
      return;
    }
    for (const [from, to] of ranges) {
      if (from === to) this.#dropOne(from);
      else for (const key of this.#keys().removeBetween(from, to)) this.#values.delete(key);
    }
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.#values.entries();
  }

  #dropOne(key: string): void {
    if (this.#values.delete(key)) this.#sorted?.removeBetween(key, key);
  }

  #keys(): SortedKeys {
    this.#sorted ??= new SortedKeys([...this.#values.keys()].toSorted());
    return this.#sorted;
  }

  #rowAt(key: string): Row {
    return { key, value: this.#values.get(key) as string };
  }
}

// Text that was put together is kept by the engine as a tree of its pieces, in twice the memory, until somebody asks for a character of it.
function inOnePiece(text: string): string {
  return Number.isNaN(text.charCodeAt(0)) ? "" : text;
}
