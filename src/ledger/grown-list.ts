/**
 * A list that nobody changes, only grows: the longer one shares what both begin with. So a talk that goes on is neither copied nor compared
 * turn by turn, however long it is.
 */
export class GrownList<Element> {
  readonly length: number;
  // Of all that grew from one another. Each sees as many of them as it is long; only one that sees all may put more behind them.
  readonly #elements: Element[];
  #all: readonly Element[] | undefined;

  private constructor(elements: Element[], length: number) {
    this.#elements = elements;
    this.length = length;
  }

  /** A list of these. Unless it is frozen, the array must be nobody else's from then on. */
  static of<Element>(elements: readonly Element[]): GrownList<Element> {
    return new GrownList(elements as Element[], elements.length);
  }

  grow(added: readonly Element[]): GrownList<Element> {
    if (added.length === 0) return this;
    const elements = this.#growable();
    for (const element of added) elements.push(element);
    return new GrownList(elements, elements.length);
  }

  last(): Element | undefined {
    return this.#elements[this.length - 1];
  }

  /** The elements from an index on, as an array of the caller's own. */
  from(start: number): Element[] {
    const elements: Element[] = [];
    for (let index = start; index < this.length; index += 1) elements.push(this.#elements[index]!);
    return elements;
  }

  /** All of them as a frozen array: the same one each time. */
  all(): readonly Element[] {
    this.#all ??= Object.isFrozen(this.#elements)
      ? this.#elements
      : Object.freeze(this.#elements.slice(0, this.length));
    return this.#all;
  }

  /** Whether it begins with the very elements of the other, compared by reference; not one by one where it grew from that. */
  beginsWith(start: GrownList<Element>): boolean {
    if (this.length < start.length) return false;
    if (this.#elements === start.#elements) return true;
    for (let index = 0; index < start.length; index += 1) {
      if (this.#elements[index] !== start.#elements[index]) return false;
    }
    return true;
  }

  [Symbol.iterator](): Iterator<Element> {
    return this.all()[Symbol.iterator]();
  }

  toJSON(): readonly Element[] {
    return this.all();
  }

  // Another list may have grown from this one before: then what that one added stays its own.
  #growable(): Element[] {
    const isLast = this.#elements.length === this.length && !Object.isFrozen(this.#elements);
    return isLast ? this.#elements : this.from(0);
  }
}
