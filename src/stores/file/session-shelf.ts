import type { SessionKey } from "../../ledger/index.ts";
import { sessionName } from "../session-name.ts";
import type { FileSession } from "./file-session.ts";

/** The sessions that this process holds in memory. Those used longest ago go first when they get too heavy together. */
export class SessionShelf {
  readonly #maxWeight: number;
  readonly #open: (key: SessionKey) => FileSession;
  readonly #sessions = new Map<string, FileSession>();
  readonly #weights = new Map<string, number>();
  #weight = 0;

  constructor(maxWeight: number, open: (key: SessionKey) => FileSession) {
    this.#maxWeight = maxWeight;
    this.#open = open;
  }

  /** Does the work with the session, which is the only one of its name in this process. */
  async use<Result>(
    key: SessionKey,
    work: (session: FileSession) => Promise<Result>,
  ): Promise<Result> {
    const name = sessionName(key);
    const session = this.#sessions.get(name) ?? this.#open(key);
    this.#sessions.delete(name);
    this.#sessions.set(name, session);
    try {
      return await work(session);
    } finally {
      this.#weigh(name, session);
    }
  }

  #weigh(name: string, session: FileSession): void {
    if (session.isIdle && session.weight === 0) this.#remove(name);
    else this.#setWeight(name, session.weight);
    for (const [oldest, candidate] of this.#sessions) {
      if (this.#weight <= this.#maxWeight || oldest === name) return;
      if (candidate.isIdle) this.#remove(oldest);
    }
  }

  #setWeight(name: string, weight: number): void {
    this.#weight += weight - (this.#weights.get(name) ?? 0);
    this.#weights.set(name, weight);
  }

  #remove(name: string): void {
    this.#setWeight(name, 0);
    this.#weights.delete(name);
    this.#sessions.delete(name);
  }
}
