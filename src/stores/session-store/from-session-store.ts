import { type SessionStore, systemClock, TurnkeepError } from "../../ledger/index.ts";
import { DocumentStore, type FromSessionStoreOptions } from "./document-store.ts";
import { PlainDocuments, type PlainSessionStore } from "./plain-documents.ts";
import type { SessionDocuments } from "./session-documents.ts";
import { SnapshotDocuments, type SnapshotSessionStore } from "./snapshot-documents.ts";

/**
 * Makes a store for agents from a session store: an object with `get` and `save`, or one of Genkit's. Each session is one document, which holds the
 * conversation for other programs and everything that Turnkeep keeps; a conversation that is there already goes on.
 *
 * The guarantees are weaker than those of the other stores: every write reads and writes the whole session, so a turn costs its history, and only one
 * process at a time may use the data. With two, the last write wins.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when it is neither.
 */
export function fromSessionStore(
  store: PlainSessionStore | SnapshotSessionStore,
  options: FromSessionStoreOptions = {},
): SessionStore {
  const { clock = systemClock } = options;
  return new DocumentStore(
    documentsIn(store, () => clock.now()),
    { ...options, clock },
  );
}

function documentsIn(
  store: PlainSessionStore | SnapshotSessionStore,
  now: () => number,
): SessionDocuments {
  if (hasMethods(store, "getSnapshot", "saveSnapshot"))
    return new SnapshotDocuments(store as SnapshotSessionStore, now);
  if (hasMethods(store, "get", "save")) return new PlainDocuments(store as PlainSessionStore);
  throw new TurnkeepError("INVALID_ARGUMENT", refusalOf(store), { reason: "STORE_UNSUITABLE" });
}

function hasMethods(value: unknown, ...methods: readonly string[]): boolean {
  const members = value as Readonly<Record<string, unknown>> | null | undefined;
  return methods.every((method) => typeof members?.[method] === "function");
}

function refusalOf(given: unknown): string {
  return hasMethods(given, "load", "commit", "append")
    ? "This store needs no fromSessionStore: pass it to the agent as 'store'."
    : "fromSessionStore takes an object with 'get' and 'save', or with 'getSnapshot' and 'saveSnapshot'.";
}
