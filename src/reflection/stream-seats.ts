interface Seat {
  readonly leave: () => void;
}

/** How many streams each caller has open. Browsers have few connections for one server, so there is a most. */
export class StreamSeats {
  readonly #most: number;
  readonly #taken = new Map<string, Set<Seat>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a seat, from the one who has sat longest if there is none. Returns how to give it back. */
  take(caller: string, leave: () => void): () => void {
    const seats = this.#taken.get(caller) ?? new Set<Seat>();
    this.#taken.set(caller, seats);
    const [first] = seats;
    if (seats.size >= this.#most && first) {
      seats.delete(first);
      first.leave();
    }
    const seat = { leave };
    seats.add(seat);
    return () => {
      seats.delete(seat);
      if (seats.size === 0) this.#taken.delete(caller);
    };
  }
}
