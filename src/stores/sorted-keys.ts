const MAX_CHUNK = 512;

/**
 * Keys in order, in chunks of bounded length, so that neither adding nor removing one gets dearer as they grow.
 * Keys are ASCII, where JavaScript's order of strings is byte order.
 */
export class SortedKeys {
  // No chunk is empty.
  #chunks: string[][] = [];

  /** Starts with keys that are in order. */
  constructor(keys: readonly string[] = []) {
    for (const key of keys) this.add(key);
  }

  /** Adds a key that is not there yet. */
  add(key: string): void {
    const last = this.#chunks.at(-1);
    if (last === undefined || key > lastOf(last)) this.#push(key, last);
    else this.#insert(key);
  }

  *between(from: string, to: string): Generator<string, void> {
    for (let index = this.#chunkFrom(from); index < this.#chunks.length; index += 1) {
      const chunk = this.#chunkAt(index);
      for (let place = firstPlace(chunk, from); place < chunk.length; place += 1) {
        const key = chunk[place] as string;
        if (key > to) return;
        yield key;
      }
    }
  }

  findLastBetween(from: string, to: string): string | undefined {
    const index = Math.min(this.#chunkFrom(to), this.#chunks.length - 1);
    for (const chunk of [this.#chunks[index], this.#chunks[index - 1]]) {
      const key = chunk?.[placeAfter(chunk, to) - 1];
      if (key !== undefined) return key >= from ? key : undefined;
    }
    return undefined;
  }

  /** Returns the keys it removed. */
  removeBetween(from: string, to: string): readonly string[] {
    const removed: string[] = [];
    const kept: string[][] = [];
    const first = this.#chunkFrom(from);
    let end = first;
    for (; end < this.#chunks.length; end += 1) {
      const chunk = this.#chunkAt(end);
      const start = firstPlace(chunk, from);
      const gone = chunk.splice(start, Math.max(0, placeAfter(chunk, to) - start));
      for (const key of gone) removed.push(key);
      if (chunk.length > 0) kept.push(chunk);
      if (gone.length === 0) break;
    }
    this.#chunks.splice(first, Math.min(end + 1, this.#chunks.length) - first, ...kept);
    return removed;
  }

  #push(key: string, last: string[] | undefined): void {
    if (last === undefined || last.length >= MAX_CHUNK) this.#chunks.push([key]);
    else last.push(key);
  }

  #insert(key: string): void {
    const index = this.#chunkFrom(key);
    const chunk = this.#chunkAt(index);
    chunk.splice(firstPlace(chunk, key), 0, key);
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(index + 1, 0, chunk.splice(MAX_CHUNK / 2));
  }

  /** The first chunk that reaches up to `key`. */
  #chunkFrom(key: string): number {
    return search(this.#chunks, (chunk) => lastOf(chunk) >= key);
  }

  #chunkAt(index: number): string[] {
    return this.#chunks[index] as string[];
  }
}

function firstPlace(chunk: readonly string[], from: string): number {
  return search(chunk, (key) => key >= from);
}

function placeAfter(chunk: readonly string[], to: string): number {
  return search(chunk, (key) => key > to);
}

function lastOf(chunk: readonly string[]): string {
  return chunk.at(-1) as string;
}

/** The first place where `reached` holds, given that it holds from there on. */
function search<Item>(items: readonly Item[], reached: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reached(items[middle] as Item)) high = middle;
    else low = middle + 1;
  }
  return low;
}
