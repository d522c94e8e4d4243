import type { Clock, IdSource } from "./ports.ts";

// Base 32 without i, l, o and u. In this order byte order is number order.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const CODES: readonly number[] = Array.from(ALPHABET, (digit) => digit.charCodeAt(0));
const TIME_CHARACTERS = 10;
const CHANCE_CHARACTERS = 16;

/**
 * Ids of 48 bits of time and 80 bits of chance. Within one millisecond, and when the clock steps back,
 * the chance part counts up, so the ids of one source always rise.
 */
export class SortableIds implements IdSource {
  readonly #clock: Clock;
  readonly #fill: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly #digits = new Uint8Array(CHANCE_CHARACTERS);
  // Asking the system for chance costs more than the rest; it is asked for much at a time.
  readonly #chance = new Uint8Array(64 * CHANCE_CHARACTERS);
  #used: number = this.#chance.length;
  #time = 0;
  // All at once, since a text built up letter by letter is kept as that many pieces.
  readonly #codes: number[] = Array.from({ length: TIME_CHARACTERS + CHANCE_CHARACTERS }, () => 48);

  constructor(clock: Clock, fill: (bytes: Uint8Array<ArrayBuffer>) => void) {
    this.#clock = clock;
    this.#fill = fill;
  }

  readonly next = (): string => {
    const now = Math.floor(this.#clock.now());
    if (now > this.#time) this.#startMillisecond(now);
    else this.#increment();
    for (let at = 0; at < this.#digits.length; at += 1) {
      this.#codes[TIME_CHARACTERS + at] = CODES[this.#digits[at]!]!;
    }
    return String.fromCharCode(...this.#codes);
  };

  #startMillisecond(now: number): void {
    this.#time = now;
    let rest = now;
    for (let at = TIME_CHARACTERS - 1; at >= 0; at -= 1) {
      this.#codes[at] = CODES[rest % 32]!;
      rest = Math.floor(rest / 32);
    }
    if (this.#used === this.#chance.length) {
      this.#fill(this.#chance);
      this.#used = 0;
    }
    for (let at = 0; at < this.#digits.length; at += 1) {
      this.#digits[at] = this.#chance[this.#used + at]! & 31;
    }
    this.#used += this.#digits.length;
    // Leaves room to count up: 2^79 ids in one millisecond.
    this.#digits[0] = this.#digits[0]! & 15;
  }

  #increment(): void {
    for (let at = this.#digits.length - 1; at >= 0; at -= 1) {
      this.#digits[at] = (this.#digits[at]! + 1) & 31;
      if (this.#digits[at] !== 0) return;
    }
  }
}
