import type { SessionKey } from "../ledger/index.ts";

/** Tells workers, in whatever processes they are, that there is a turn to work on. */
export interface Dispatcher {
  /**
   * Passes on that a session has work. It may fail, come twice or come late: the turn is durable already, and workers look for turns that nobody
   * works on by themselves.
   */
  readonly dispatch: (work: DispatchedWork) => Promise<void>;
}

/** Names work, and says nothing of what it is about. */
export interface DispatchedWork {
  readonly key: SessionKey;
  /** The same for the same work, so that hints of it can be collapsed. */
  readonly id: string;
}
