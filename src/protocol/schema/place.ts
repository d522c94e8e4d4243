import type { Limits } from "../limits.ts";
import { TurnkeepError, type TurnkeepErrorOptions } from "../turnkeep-error.ts";
import { type Hints, unknownName } from "../unknown-name.ts";

type Reading = {
  readonly name: string;
  readonly limits: Limits;
  nodes: number;
};

/**
 * Where a reader stands in what it reads. Names the place in errors, and counts against the limits. A path is made of
 * known field names and indices only, since errors must not repeat what was sent; free data is one `…`.
 */
export class Place {
  readonly #reading: Reading;
  readonly #parent: Place | undefined;
  readonly #segment: string;
  readonly depth: number;

  private constructor(reading: Reading, parent: Place | undefined, segment: string) {
    this.#reading = reading;
    this.#parent = parent;
    this.#segment = segment;
    this.depth = parent === undefined ? 1 : parent.depth + 1;
  }

  /** Where reading starts. The name stands in errors about the whole. */
  static start(name: string, limits: Limits): Place {
    return new Place({ name, limits, nodes: 1 }, undefined, "");
  }

  get limits(): Limits {
    return this.#reading.limits;
  }

  field(name: string): Place {
    this.count();
    return new Place(this.#reading, this, `.${name}`);
  }

  item(index: number): Place {
    this.count();
    return new Place(this.#reading, this, `[${index}]`);
  }

  /** Anywhere in free data below this place: its own names are the sender's, and stay unsaid. */
  inside(): Place {
    return new Place(this.#reading, this, "…");
  }

  /** Counts one more value. */
  count(): void {
    this.#reading.nodes += 1;
    if (this.#reading.nodes > this.limits.nodes) {
      this.exceed(`part of at most ${this.limits.nodes} values in all`);
    }
  }

  /** @throws TurnkeepError INVALID_ARGUMENT always. */
  refuse(expected: string): never {
    return this.#fail(expected, {});
  }

  /** @throws TurnkeepError INVALID_ARGUMENT, LIMIT_EXCEEDED always. */
  exceed(expected: string): never {
    return this.#fail(expected, { reason: "LIMIT_EXCEEDED" });
  }

  /** @throws TurnkeepError INVALID_ARGUMENT always: there is no field of this name here. */
  unknown(name: string, names: readonly string[], hints?: Hints): never {
    throw unknownName(name, { kind: `${this.#path()} field`, names, hints });
  }

  #fail(expected: string, options: TurnkeepErrorOptions): never {
    const path = this.#path();
    throw new TurnkeepError("INVALID_ARGUMENT", `${path} must be ${expected}.`, {
      ...options,
      details: { path, expected },
    });
  }

  #path(): string {
    const path = this.#steps();
    return path.startsWith(".") ? path.slice(1) : this.#reading.name + path;
  }

  #steps(): string {
    if (this.#parent === undefined) return "";
    const above = this.#parent.#steps();
    return above.endsWith("…") ? above : above + this.#segment;
  }
}
