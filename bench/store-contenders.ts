import type { Said } from "./growing-conversation.ts";

/** One conversation that grows, kept by whatever keeps it. */
export interface StoredTalk {
  /** Takes a turn; when it resolves, the turn is kept. */
  readonly take: (said: Said) => Promise<void>;
  /** Loads all of it as somebody who knows nothing of it yet, and says how many messages it has. */
  readonly resume: () => Promise<number>;
  /** What it takes up when nobody can need the events of its turns any more. */
  readonly storedBytes: () => Promise<number>;
  readonly remove: () => Promise<void>;
}

export interface StoreContender {
  readonly name: string;
  /** Ours are held to the budget; what peers do is theirs. */
  readonly isOurs: boolean;
  readonly open: () => Promise<StoredTalk>;
}
