import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileSessionStore, InMemorySessionStore } from "genkit/beta";
import type { PlainSessionData, PlainSessionStore } from "turnkeep/stores/session-store";
import { onTestFinished } from "vitest";

/** A session store as somebody would write it over a database: it keeps text, and answers later. */
export class TextSessionStore implements PlainSessionStore {
  readonly texts: Map<string, string> = new Map();

  async get(sessionId: string): Promise<PlainSessionData | undefined> {
    await Promise.resolve();
    const text = this.texts.get(sessionId);
    return text === undefined ? undefined : (JSON.parse(text) as PlainSessionData);
  }

  async save(sessionId: string, data: PlainSessionData): Promise<void> {
    await Promise.resolve();
    this.texts.set(sessionId, JSON.stringify({ id: sessionId, ...data }));
  }
}

/** The same with the extensions of the document on reflection. */
export class ListingSessionStore extends TextSessionStore {
  async list({ continuationToken = "" }: { readonly continuationToken?: string }): Promise<{
    readonly sessions: readonly { readonly sessionId: string }[];
    readonly continuationToken?: string;
  }> {
    const ids = [...this.texts.keys()].toSorted().filter((id) => id > continuationToken);
    const page = ids.slice(0, 7);
    const last = page.at(-1);
    return {
      sessions: page.map((sessionId) => ({ sessionId })),
      ...(ids.length > page.length && last !== undefined && { continuationToken: last }),
    };
  }

  async delete(sessionId: string): Promise<void> {
    this.texts.delete(sessionId);
  }
}

export function genkitMemoryStore(): InMemorySessionStore {
  return new InMemorySessionStore();
}

/** Genkit's own store of files, in a folder that is gone when the test has ended. */
export function genkitFileStore(): FileSessionStore {
  const folder = mkdtempSync(join(tmpdir(), "turnkeep-genkit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return new FileSessionStore(folder);
}
