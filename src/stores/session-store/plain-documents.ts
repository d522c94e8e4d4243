import type { SessionKey } from "../../ledger/index.ts";
import { callStore, unsuitable } from "./call-store.ts";
import { documentId } from "./document-id.ts";
import { SerialWork } from "./serial-work.ts";
import type { DocumentChange, SessionDocuments } from "./session-documents.ts";
import type { LedgerPart, OutsideState, SessionDocument } from "./session-document.ts";

/** One session in a store of `get` and `save`. */
export interface PlainSessionData {
  readonly id?: string;
  /** The custom state, with the artifacts as `artifacts` and what Turnkeep keeps besides as `turnkeep`. */
  readonly state?: unknown;
  /** Lists of messages; the conversation is `main`. */
  readonly threads?: Readonly<Record<string, readonly unknown[]>>;
}

/** A session in a list: its id, or an object that has it. */
export type PlainSessionName = string | { readonly sessionId: string } | { readonly id: string };

/** All sessions, or one page of them. */
export type PlainSessionList =
  | readonly PlainSessionName[]
  | { readonly sessions: readonly PlainSessionName[]; readonly continuationToken?: string };

/** A store that keeps each session as a whole. */
export interface PlainSessionStore {
  get(sessionId: string): Awaitable<PlainSessionData | null | undefined>;
  save(sessionId: string, data: PlainSessionData): Awaitable<unknown>;
  /** Without it, sessions cannot be listed, and turns that a dead process left are found only when their session is used again. */
  list?(options: { readonly continuationToken?: string }): Awaitable<PlainSessionList>;
  /** Without it, a session is emptied instead. */
  delete?(sessionId: string): Awaitable<unknown>;
}

type Awaitable<Value> = Value | Promise<Value>;

/** Sessions in a store of `get` and `save`. */
export class PlainDocuments implements SessionDocuments {
  readonly list: SessionDocuments["list"];
  readonly #store: PlainSessionStore;
  readonly #updates = new SerialWork();

  constructor(store: PlainSessionStore) {
    this.#store = store;
    this.list = store.list ? () => this.#all() : undefined;
  }

  readonly read = async (key: SessionKey): Promise<SessionDocument | undefined> => {
    const data = await this.#get(documentId(key));
    return data && documentFrom(data);
  };

  readonly update = (key: SessionKey, change: DocumentChange): Promise<void> => {
    const id = documentId(key);
    return this.#updates.run(id, async () => {
      const data = await this.#get(id);
      const next = change(data && documentFrom(data));
      if (next === "remove") await this.#remove(id);
      else if (next) await this.#save(id, dataFrom(next, data));
    });
  };

  async #get(id: string): Promise<PlainSessionData | undefined> {
    const data = (await callStore("get", () => this.#store.get(id))) ?? undefined;
    if (data === undefined || typeof data === "object") return data;
    throw unsuitable("'get' of the session store must return a session or undefined.");
  }

  async #save(id: string, data: PlainSessionData): Promise<void> {
    await callStore("save", () => this.#store.save(id, data));
  }

  async #remove(id: string): Promise<void> {
    if (this.#store.delete) await callStore("delete", () => this.#store.delete?.(id));
    else await this.#save(id, { state: {}, threads: {} });
  }

  async *#all(): AsyncGenerator<SessionDocument> {
    for await (const id of this.#ids()) {
      const data = await this.#get(id);
      if (data) yield documentFrom(data);
    }
  }

  async *#ids(): AsyncGenerator<string> {
    let options: { readonly continuationToken?: string } | undefined = {};
    while (options) {
      const given: { readonly continuationToken?: string } = options;
      // A page names the next one.
      // oxlint-disable-next-line no-await-in-loop
      const found = (await callStore("list", () => this.#store.list?.(given))) ?? [];
      const { sessions, continuationToken } = "sessions" in found ? found : { sessions: found };
      for (const session of sessions) yield idOf(session);
      options = continuationToken ? { continuationToken } : undefined;
    }
  }
}

function documentFrom({ state, threads }: PlainSessionData): SessionDocument {
  const messages = threads?.["main"];
  if (!isObject(state)) return { state: { messages, custom: state } };
  const { turnkeep, artifacts, ...custom } = state;
  return {
    state: {
      messages,
      artifacts: artifacts as OutsideState["artifacts"],
      custom: Object.keys(custom).length > 0 ? custom : undefined,
    },
    ledger: turnkeep as LedgerPart | undefined,
  };
}

// Threads that are not ours stay, as long as the session does.
function dataFrom(
  { state, ledger }: SessionDocument,
  before: PlainSessionData | undefined,
): PlainSessionData {
  const { id: _id, ...others } = before ?? {};
  const { messages = [], custom, artifacts = [] } = state;
  const members = isObject(custom) ? custom : { ...(custom !== undefined && { custom }) };
  const isDeleted = ledger?.record.deletedAt !== undefined;
  return {
    ...others,
    state: { ...members, ...(artifacts.length > 0 && { artifacts }), turnkeep: ledger },
    threads: isDeleted ? {} : { ...others.threads, main: messages },
  };
}

function idOf(session: PlainSessionName): string {
  if (typeof session === "string") return session;
  const { sessionId, id } = session as { readonly sessionId?: unknown; readonly id?: unknown };
  const name = sessionId ?? id;
  if (typeof name === "string") return name;
  throw unsuitable("'list' of the session store must return ids, or objects with an 'id'.");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
