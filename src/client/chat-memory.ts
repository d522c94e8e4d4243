import type { AgentInput } from "../protocol/index.ts";

/** Where a chat keeps what it needs to go on after a reload: `sessionStorage`, or anything like it. */
export interface ChatStorage {
  readonly getItem: (key: string) => string | null;
  readonly setItem: (key: string, value: string) => void;
}

/** A turn that was sent and has not ended, as far as is known. */
export interface OpenTurn {
  readonly input: AgentInput;
  /** Lets it be sent again without being done twice. */
  readonly requestId: string;
  /** Absent as long as the server has not answered. */
  readonly runId?: string;
  /** The head of the session before it. */
  readonly parentId?: string;
}

export interface SavedChat {
  readonly sessionId: string;
  readonly turn?: OpenTurn;
}

/** What a chat remembers across reloads. A storage that fails is one that holds nothing. */
export class ChatMemory {
  readonly #storage: ChatStorage | undefined;
  readonly #key: string;

  constructor(storage: ChatStorage | undefined, key: string) {
    this.#storage = storage ?? pageStorage();
    this.#key = key;
  }

  load(): SavedChat | undefined {
    try {
      const saved = JSON.parse(this.#storage?.getItem(this.#key) ?? "null") as SavedChat | null;
      return typeof saved?.sessionId === "string" ? saved : undefined;
    } catch {
      return undefined;
    }
  }

  save(chat: SavedChat): void {
    try {
      this.#storage?.setItem(this.#key, JSON.stringify(chat));
    } catch {
      // Full, or forbidden: then a reload starts with what the server knows.
    }
  }
}

function pageStorage(): ChatStorage | undefined {
  try {
    return (globalThis as { readonly sessionStorage?: ChatStorage }).sessionStorage;
  } catch {
    return undefined;
  }
}
