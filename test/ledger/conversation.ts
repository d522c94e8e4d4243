import {
  createScope,
  createSessionKey,
  EMPTY_CONTENT,
  Ledger,
  type LedgerOptions,
  type SessionContent,
  type SessionKey,
  type SessionStore,
  SessionTree,
  type Snapshot,
  type Submission,
  type TurnOutcome,
  type Work,
} from "../../src/ledger/index.ts";
import type { Json, Message } from "../../src/protocol/index.ts";
import { MemoryStore } from "../../src/stores/memory/index.ts";

export const HOUR = 3_600_000;

/** A session on a memory store whose clock the test moves. */
export class Conversation {
  now = 1_000_000;
  readonly store: SessionStore;
  readonly ledger: Ledger;
  readonly tree: SessionTree;
  readonly key: SessionKey = sessionKey("session");

  constructor(options: Partial<LedgerOptions> = {}) {
    this.store = options.store ?? new MemoryStore({ clock: { now: () => this.now } });
    this.ledger = new Ledger({ leaseMs: 1000, ...options, store: this.store });
    this.tree = new SessionTree(this.ledger);
  }

  /** One whole turn: the text, and an answer to it. */
  async say(text: string, options: SayOptions = {}): Promise<Snapshot> {
    const { submission, outcome, change } = options;
    const work = await this.begin({ input: text, ...submission });
    const content = change?.(work.start?.content) ?? answered(work.start?.content, text);
    const finished = await this.ledger.finish(this.key, work, {
      status: "completed",
      content,
      ...outcome,
    });
    if (finished.kind !== "committed") throw new Error(`the turn ended ${finished.kind}`);
    return finished.snapshot;
  }

  async begin(submission: Submission): Promise<Work> {
    const accepted = await this.ledger.accept(this.key, { begin: true, ...submission });
    if (accepted.kind !== "accepted" || !accepted.claim)
      throw new Error(`not begun: ${accepted.kind}`);
    return await this.ledger.work(this.key, accepted.claim);
  }

  async contentOf(snapshotId: string): Promise<SessionContent | undefined> {
    // A reader that remembers nothing, so that the store is asked.
    return (await new Ledger({ store: this.store }).snapshots.find(this.key, snapshotId))?.content;
  }

  async rows(prefix = ""): Promise<readonly string[]> {
    const query = { range: [prefix, `${prefix}~`] as const, limit: 10_000, maxBytes: 1e9 };
    return (await this.store.range(this.key, query)).map(({ key }) => key);
  }
}

export interface SayOptions {
  readonly submission?: Partial<Submission>;
  readonly outcome?: Partial<TurnOutcome>;
  readonly change?: (start: SessionContent | undefined) => SessionContent;
}

export function sessionKey(sessionId: string, tenant = "tenant"): SessionKey {
  return createSessionKey(createScope(tenant), "agent", sessionId);
}

export function message(role: Message["role"], text: string): Message {
  return { role, content: [{ text }] };
}

export function answered(start: SessionContent | undefined, text: string): SessionContent {
  const before = start ?? EMPTY_CONTENT;
  const said = [message("user", text), message("model", `re: ${text}`)];
  return { ...before, messages: before.messages.grow(said) };
}

export function withCustom(custom: Json): (start: SessionContent | undefined) => SessionContent {
  return (start) => ({ ...(start ?? EMPTY_CONTENT), custom });
}

export function textsOf(content: SessionContent | undefined): readonly unknown[] {
  return (content?.messages.all() ?? []).map(textOf);
}

export function textOf({ content: [part] }: Message): unknown {
  return part && "text" in part && part.text;
}
