import type { SessionKey } from "../../ledger/index.ts";
import type { SessionDocument } from "./session-document.ts";

/** Where documents are kept: a session store of any kind, seen as one. */
export interface SessionDocuments {
  readonly read: (key: SessionKey) => Promise<SessionDocument | undefined>;
  /**
   * Reads the document, lets `change` decide and writes what it returns; nothing for `undefined`. `"remove"` removes the document, or empties it where the
   * store cannot remove. One update of a session at a time in this process; across processes only if the store itself takes care of it.
   */
  readonly update: (key: SessionKey, change: DocumentChange) => Promise<void>;
  /** Every document that the ledger has written. Absent where the store cannot list. */
  readonly list?: (() => AsyncIterable<SessionDocument>) | undefined;
}

export type DocumentChange = (
  current: SessionDocument | undefined,
) => SessionDocument | "remove" | undefined;
