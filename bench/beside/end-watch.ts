const LONGEST_MARK = 32;

/** Watches a stream for a word that only whole ones hold, with as little work as possible. */
export class EndWatch {
  isSeen = false;
  readonly #marks: readonly string[];
  #before = Buffer.alloc(0);

  constructor(...marks: readonly string[]) {
    this.#marks = marks;
  }

  look(piece: Buffer): void {
    if (this.isSeen) return;
    // A word may come in two pieces.
    const seam = Buffer.concat([this.#before, piece.subarray(0, LONGEST_MARK)]);
    this.isSeen = this.#marks.some((mark) => piece.includes(mark) || seam.includes(mark));
    this.#before = Buffer.from(piece.subarray(-LONGEST_MARK));
  }
}
