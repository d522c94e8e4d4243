import type { ScriptedModel } from "./scripted-model.ts";

/** Somebody who can hold a conversation and keep it, behind the one interface that all benchmarks ask. */
export interface Contender {
  readonly name: string;
  /** What one installs for it. */
  readonly packages: readonly string[];
  /** What an application imports. */
  readonly imports: readonly string[];
  /** What a page in a browser imports to talk to it. */
  readonly client?: { readonly from: string; readonly name: string };
  /** Where it can keep sessions, beside memory. */
  readonly stores: readonly string[];
  /** Why it is missing in a table, by the table's name. */
  readonly lacks: Readonly<Record<string, string>>;
  readonly open: (options: OpenOptions) => Promise<OpenContender>;
}

export interface OpenOptions {
  /** "memory", or one of its stores. */
  readonly store: string;
  readonly model: ScriptedModel;
  /** A folder for what is kept on disk. Who opens the same one again finds it again; so do those on servers. */
  readonly folder?: string;
  /** The address of the server, for what is kept on one. */
  readonly url?: string;
}

export interface OpenContender {
  /** Takes a turn; when it resolves, the turn is kept. */
  readonly turn: (sessionId: string, text: string) => Promise<void>;
  /** Begins a session with messages that nobody had to say, those of user and model by turns. */
  readonly seed: (sessionId: string, texts: readonly string[]) => Promise<void>;
  /** Loads a session as somebody who knows nothing of it yet, and says how many messages it has. */
  readonly resume: (sessionId: string) => Promise<number>;
  /** What the sessions take up, once nobody can need the events of their turns any more. */
  readonly storedBytes?: () => Promise<number>;
  /** Answers turns over HTTP, posted as `turnBody` writes them. */
  readonly serve?: () => Promise<ServedContender>;
  /** Changes one number in a state that is shown live, over and over, as `changing` asks for it. */
  readonly changeState?: (state: LiveState, changing: Changing) => Promise<void>;
  /** Begins a turn that somebody is going to abort. */
  readonly begin?: (sessionId: string, text: string) => BegunTurn;
  readonly close: () => Promise<void> | void;
}

export interface ServedContender {
  /** Where turns are posted to. */
  readonly url: string;
  readonly close: () => Promise<void> | void;
}

export interface BegunTurn {
  /** Resolves when the turn is over, however it ended. */
  readonly ended: Promise<unknown>;
  readonly abort: () => unknown;
}

export interface LiveState {
  readonly entries: Record<string, { text: string; hits: number }>;
}

/** Is handed a function that sets the hits of an entry. */
export type Changing = (
  change: (entry: string, hits: number) => Promise<void> | void,
) => Promise<void>;
