import type { TurnRef } from "../ledger/index.ts";
import type { OpenTurn } from "./open-turn.ts";

/** An input that was taken in, with its turn when that could begin at once. */
export interface Accepted {
  readonly turn: TurnRef;
  readonly open?: OpenTurn | undefined;
}

/** The inputs of a run that were taken in and not asked for yet, by number. */
export class AcceptedInputs {
  /** How many of the run's inputs have not come to their end. */
  unfinished = 0;
  readonly #inputs = new Map<number, Accepted>();
  #next: number;

  constructor(first: number) {
    this.#next = first;
  }

  /** The number of the next one. */
  get next(): number {
    return this.#next;
  }

  get isEmpty(): boolean {
    return this.#inputs.size === 0;
  }

  /** Takes in the next one, or as many as its turn has. */
  add(accepted: Accepted, inputs = 1): void {
    this.#inputs.set(this.#next, accepted);
    this.#next += inputs;
    this.unfinished += inputs;
  }

  /** Its turn may begin now. */
  open(number: number, turn: TurnRef, open: OpenTurn): void {
    this.#inputs.set(number, { turn, open });
  }

  find(number: number): Accepted | undefined {
    return this.#inputs.get(number);
  }

  /** The turn that the next of them could begin at once. */
  get nextOpen(): OpenTurn | undefined {
    const [next] = this.#inputs.values();
    return next?.open;
  }

  findOpen(snapshotId: string): OpenTurn | undefined {
    for (const { open } of this.#inputs.values())
      if (open?.claim.snapshotId === snapshotId) return open;
    return undefined;
  }

  /** Takes the turn of an input, if it could begin at once, with all its inputs. */
  takeOpen(number: number): OpenTurn | undefined {
    const open = this.#inputs.get(number)?.open;
    if (open === undefined) return undefined;
    for (let taken = number; taken < number + open.inputs; taken += 1) this.#inputs.delete(taken);
    return open;
  }

  takeAll(): readonly Accepted[] {
    const all = [...this.#inputs.values()];
    this.#inputs.clear();
    return all;
  }
}
