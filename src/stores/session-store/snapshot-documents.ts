import { hashText, type SessionKey } from "../../ledger/index.ts";
import { callStore } from "./call-store.ts";
import { documentId } from "./document-id.ts";
import { SerialWork } from "./serial-work.ts";
import type { DocumentChange, SessionDocuments } from "./session-documents.ts";
import {
  EMPTY_STATE,
  type LedgerPart,
  type OutsideState,
  type SessionDocument,
} from "./session-document.ts";

/** A snapshot of Genkit's. Each session is one of them, which is written again and again. */
export interface OutsideSnapshot {
  readonly snapshotId?: string;
  readonly sessionId?: string;
  readonly createdAt: string;
  readonly updatedAt?: string;
  readonly status?: string;
  readonly state?: object;
}

/** A session store of Genkit's: `InMemorySessionStore`, `FileSessionStore`, Firestore's and others. */
export interface SnapshotSessionStore {
  getSnapshot(options: {
    readonly snapshotId?: string;
    readonly sessionId?: string;
  }): Promise<object | undefined>;
  saveSnapshot(
    snapshotId: string | undefined,
    // Genkit types its snapshots by its own schemas; what is written here fits them.
    // oxlint-disable-next-line typescript/no-explicit-any
    mutator: (current: any) => any,
  ): Promise<string | null>;
}

interface FoundSnapshot {
  readonly createdAt?: string;
  readonly state?: OutsideState & { readonly turnkeep?: LedgerPart };
}

const LONGEST_NAME = 200;
const UNSAFE = /[/\\]|^\.\.?$/;

/** Sessions in a session store of Genkit's. Its `saveSnapshot` reads and writes at once, as far as the store does so. */
export class SnapshotDocuments implements SessionDocuments {
  readonly #store: SnapshotSessionStore;
  readonly #now: () => number;
  readonly #updates = new SerialWork();

  constructor(store: SnapshotSessionStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  readonly read = async (key: SessionKey): Promise<SessionDocument | undefined> => {
    const own = await this.#get({ snapshotId: snapshotIdOf(key) });
    return documentFrom(own) ?? (await this.#readOthers(key));
  };

  readonly update = (key: SessionKey, change: DocumentChange): Promise<void> => {
    const snapshotId = snapshotIdOf(key);
    return this.#updates.run(snapshotId, async () => {
      const others = await this.#othersUnless(key);
      let refusal: { readonly error: unknown } | undefined;
      await callStore("saveSnapshot", () =>
        this.#store.saveSnapshot(snapshotId, (current: FoundSnapshot | undefined) => {
          try {
            const next = change(documentFrom(current) ?? others);
            return next === undefined ? null : this.#snapshotFrom(key, next, current);
          } catch (error) {
            refusal = { error };
            return null;
          }
        }),
      );
      if (refusal) throw refusal.error;
    });
  };

  // What Genkit itself kept of the session before.
  async #readOthers(key: SessionKey): Promise<SessionDocument | undefined> {
    const { state, ledger } = documentFrom(await this.#get({ sessionId: sessionIdOf(key) })) ?? {};
    return state && !ledger ? { state } : undefined;
  }

  async #othersUnless(key: SessionKey): Promise<SessionDocument | undefined> {
    const own = await this.#get({ snapshotId: snapshotIdOf(key) });
    return own === undefined ? await this.#readOthers(key) : undefined;
  }

  async #get(options: {
    readonly snapshotId?: string;
    readonly sessionId?: string;
  }): Promise<FoundSnapshot | undefined> {
    return await callStore("getSnapshot", () => this.#store.getSnapshot(options));
  }

  #snapshotFrom(
    key: SessionKey,
    next: SessionDocument | "remove",
    current: FoundSnapshot | undefined,
  ): OutsideSnapshot {
    const sessionId = sessionIdOf(key);
    const now = new Date(this.#now()).toISOString();
    const { state, ledger } = next === "remove" ? { state: EMPTY_STATE } : next;
    const { messages = [], custom, artifacts = [] } = state;
    return {
      snapshotId: snapshotIdOf(key),
      sessionId,
      createdAt: current?.createdAt ?? now,
      updatedAt: now,
      status: "completed",
      state: {
        sessionId,
        messages,
        artifacts,
        ...(custom !== undefined && { custom }),
        ...(ledger && { turnkeep: ledger }),
      },
    };
  }
}

// Stores use these as names of files.
function sessionIdOf(key: SessionKey): string {
  const id = documentId(key);
  return UNSAFE.test(id) ? encoded(id) : id;
}

function snapshotIdOf(key: SessionKey): string {
  const name = encoded(documentId(key));
  return `turnkeep-${name.length > LONGEST_NAME ? hashText(name) : name}`;
}

function encoded(id: string): string {
  return encodeURIComponent(id).replaceAll(".", "%2E");
}

function documentFrom(found: FoundSnapshot | undefined): SessionDocument | undefined {
  if (found === undefined) return undefined;
  const { messages, custom, artifacts, turnkeep } = found.state ?? {};
  return { state: { messages, custom, artifacts }, ledger: turnkeep };
}
