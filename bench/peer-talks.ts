import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileSessionStore } from "genkit/beta";
import { Client } from "pg";
import type { Message } from "turnkeep/protocol";
import type { Said } from "./growing-conversation.ts";
import type { StoredTalk } from "./store-contenders.ts";
import { folderBytes, schemaBytes } from "./stored-bytes.ts";

/** What `peers/langgraph-savers.mjs` offers. */
interface Savers {
  readonly openSqlite: (file: string) => Promise<SaverTalk>;
  readonly openPostgres: (url: string, schema: string) => Promise<SaverTalk>;
}

interface SaverTalk {
  readonly take: (question: string, reply: string) => Promise<void>;
  readonly resume: () => Promise<number>;
  readonly close: () => Promise<void>;
}

const PEERS = join(import.meta.dirname, "peers");
const INSTALL_TIMEOUT_MS = 600_000;

/** Installs the peers beside this file, if they are not there yet. */
export async function loadSavers(): Promise<Savers> {
  const file = new URL("peers/langgraph-savers.mjs", import.meta.url).href;
  try {
    return (await import(file)) as Savers;
  } catch {
    console.error(`Installing LangGraph into ${PEERS}; its SQLite client may have to be compiled.`);
    await install();
    // A failed import is remembered, so ask by another name.
    return (await import(`${file}?installed`)) as Savers;
  }
}

/** Genkit's own store for files, which keeps each snapshot whole. */
export async function openGenkitFiles(): Promise<StoredTalk> {
  const folder = scratchFolder();
  const open = (): FileSessionStore => new FileSessionStore(folder);
  const store = open();
  const messages: Message[] = [];
  let parentId: string | undefined;
  return {
    take: async ({ user, model }) => {
      messages.push(user, model);
      const now = new Date().toISOString();
      const state = { sessionId: "conversation", messages: [...messages] };
      const saved = await store.saveSnapshot(undefined, () => ({
        sessionId: "conversation",
        createdAt: now,
        updatedAt: now,
        status: "completed",
        finishReason: "stop",
        ...(parentId !== undefined && { parentId }),
        state: state as never,
      }));
      parentId = saved ?? undefined;
    },
    resume: async () => {
      const snapshot = await open().getSnapshot({ sessionId: "conversation" });
      return snapshot?.state?.messages?.length ?? 0;
    },
    storedBytes: async () => folderBytes(folder),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function openLanggraphSqlite(savers: Savers): Promise<StoredTalk> {
  const folder = scratchFolder();
  const talk = await savers.openSqlite(join(folder, "langgraph.db"));
  return {
    take: (said) => talk.take(textOf(said.user), textOf(said.model)),
    resume: talk.resume,
    storedBytes: async () => folderBytes(folder),
    remove: async () => {
      await talk.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function openLanggraphPostgres(savers: Savers, url: string): Promise<StoredTalk> {
  const schema = `langgraph_${process.pid}`;
  const talk = await savers.openPostgres(url, schema);
  return {
    take: (said) => talk.take(textOf(said.user), textOf(said.model)),
    resume: talk.resume,
    storedBytes: () => schemaBytes(url, schema),
    remove: async () => {
      await talk.close();
      const client = new Client(url);
      await client.connect();
      await client.query(`drop schema "${schema}" cascade`);
      await client.end();
    },
  };
}

async function install(): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const options = { cwd: PEERS, timeout: INSTALL_TIMEOUT_MS };
    const child = execFile("npm", ["ci", "--foreground-scripts"], options, (error) =>
      error ? reject(error) : resolve(),
    );
    child.stdout?.pipe(process.stderr, { end: false });
    child.stderr?.pipe(process.stderr, { end: false });
  });
}

function scratchFolder(): string {
  return mkdtempSync(join(tmpdir(), "turnkeep-bench-"));
}

function textOf({ content }: Said["user"]): string {
  return content.map((part) => part.text ?? "").join("");
}
