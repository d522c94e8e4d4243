import type { AgentConnection, ReadOptions, RunUpdate, UpdatePage } from "../agent/index.ts";
import { type AgentOutputData, TurnkeepError } from "../protocol/index.ts";
import type { ServedAgent } from "./served-agents.ts";
import { type Encode, PIECE, piecesOf, sharedTexts } from "./shared-texts.ts";
import type { TextStream } from "./text-stream.ts";

export interface FeedOptions {
  readonly agent: ServedAgent;
  readonly runId: string;
  /** Who reads, and until when. */
  readonly exchange: { readonly reader: ReadOptions; readonly gone: AbortSignal };
  /** The run as it goes on in this process; else it is read from its log. */
  readonly connection?: AgentConnection<never>;
  /** The last event that the reader has. */
  readonly after?: number;
}

// As many characters are held for a reader who can find them elsewhere, and for one who cannot.
const MOST_HELD = 128 * 1024;
const MOST_HELD_ALONE = 4 * 1024 * 1024;

/**
 * One run for one reader: live as long as the reader keeps up, from the log when it does not, or when the run went on in another process. The run
 * itself waits for no reader.
 */
export class RunFeed {
  readonly runId: string;
  readonly #options: FeedOptions;
  #log: AsyncGenerator<UpdatePage> | undefined;
  #first: Promise<IteratorResult<UpdatePage>> | undefined;
  #seen: number;
  #isBehind = false;
  /** There is nothing more in the log. */
  #isRead = false;
  /** That the last turn ended in, if it is known. */
  #snapshotId: string | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.runId = options.runId;
    this.#seen = options.after ?? 0;
  }

  /** @throws TurnkeepError NOT_FOUND when there is no such run. */
  async find(): Promise<void> {
    this.#first = this.#openLog().next();
    await this.#first;
  }

  /** Says all that the reader does not have yet, as it comes. */
  async sayTo(stream: TextStream, encode: Encode): Promise<void> {
    const { connection } = this.#options;
    if (connection) {
      await connection.follow((updates) => this.#pass(updates, stream, encode));
      if (stream.isOver) return;
      // Else the reader is behind, or the run goes on elsewhere.
      if (!this.#isBehind && (await this.#outputHere())) return;
      if (this.#isBehind) await stream.clear();
    }
    while (!stream.isOver) {
      const page = await this.#nextPage();
      if (page === undefined) break;
      const length = await sayPage(page, stream, encode);
      // It was not much, so there is hardly more yet. A reader that was told nothing yet may be anywhere, whatever it says.
      const isAtEnd = length > 0 && length < PIECE && !this.#isRead;
      if (isAtEnd && !stream.isOver) await this.#sayWithOthers(stream, encode);
    }
    this.#closeLog();
  }

  // What comes, for as long as the reader keeps up: read once for all who have read as much.
  async #sayWithOthers(stream: TextStream, encode: Encode): Promise<void> {
    const { agent, runId, exchange } = this.#options;
    const place = { ...exchange.reader, after: this.#seen, signal: exchange.gone };
    const joined = await agent.joinRun(runId, place, (page) =>
      this.#passPage(page, stream, encode),
    );
    if (joined === undefined) return;
    this.#closeLog();
    if ((await joined.end) === "ended") this.#isRead = true;
    else await stream.clear();
  }

  /** Nobody will be told, here, what the run says: nothing is kept for it. */
  leave(): void {
    this.#options.connection?.receiveNothing();
  }

  /** How the run came out. There is nothing more to be said of it then. */
  async output(): Promise<AgentOutputData<never>> {
    this.leave();
    const { agent, exchange } = this.#options;
    const output = await this.#outputHere();
    if (output) return output;
    // Up to the end, which says what it ended in.
    while (await this.#nextPage());
    const { reader } = exchange;
    return this.#snapshotId === undefined
      ? await agent.findOutput(this.runId, { ...reader, signal: exchange.gone })
      : await agent.getOutput(this.#snapshotId, reader);
  }

  // Absent when the run goes on in another process: then its output is in the log.
  async #outputHere(): Promise<AgentOutputData<never> | undefined> {
    try {
      return await this.#options.connection?.output();
    } catch (error) {
      if (TurnkeepError.is(error) && error.reason === "TURN_TAKEN") return undefined;
      throw error;
    }
  }

  // Never waits for the reader: what it does not take in time it finds in the log. Whether it is to be told more.
  #pass(updates: readonly RunUpdate[], stream: TextStream, encode: Encode): boolean {
    let text = "";
    for (const update of updates) {
      const isElsewhere = this.#isKept && update.id !== undefined;
      const added = encode(update);
      const held = stream.heldLength + text.length;
      if (held > 0 && held + added.length > (isElsewhere ? MOST_HELD : MOST_HELD_ALONE)) {
        if (!isElsewhere) throw tooSlow();
        this.#isBehind = true;
        break;
      }
      if (isElsewhere) this.#seen = update.seq;
      text += added;
      if (text.length < PIECE) continue;
      stream.say(text);
      text = "";
    }
    if (text !== "") stream.say(text);
    return !this.#isBehind && !stream.isOver;
  }

  // Like `#pass`, for what all readers are told alike.
  #passPage(page: UpdatePage, stream: TextStream, encode: Encode): boolean {
    let text = "";
    let isKeepingUp = true;
    for (const updates of page) {
      const added = sharedTexts(updates, encode).join("");
      const held = stream.heldLength + text.length;
      isKeepingUp = held === 0 || held + added.length <= MOST_HELD;
      if (!isKeepingUp) break;
      this.#note(updates);
      text += added;
      if (text.length < PIECE) continue;
      stream.say(text);
      text = "";
    }
    if (text !== "") stream.say(text);
    return isKeepingUp && !stream.isOver;
  }

  get #isKept(): boolean {
    return this.#options.agent.metadata.stateManagement === "server";
  }

  #openLog(): AsyncGenerator<UpdatePage> {
    const { agent, runId, exchange } = this.#options;
    const { reader, gone } = exchange;
    this.#log ??= agent.followRun(runId, { ...reader, after: this.#seen, signal: gone });
    return this.#log;
  }

  async #nextPage(): Promise<UpdatePage | undefined> {
    if (this.#isRead) {
      this.#closeLog();
      return undefined;
    }
    const next = this.#first ?? this.#openLog().next();
    this.#first = undefined;
    const { done, value } = await next;
    for (const updates of value ?? []) this.#note(updates);
    this.#isRead ||= done === true;
    return done ? undefined : value;
  }

  #closeLog(): void {
    void this.#log?.return(undefined);
    this.#log = undefined;
  }

  #note(updates: readonly RunUpdate[]): void {
    this.#seen = updates.at(-1)?.seq ?? this.#seen;
    this.#isRead ||= updates.at(-1)?.type === "runEnd";
    for (const update of updates) {
      if (update.type === "turnEnd") this.#snapshotId = update.chunk?.turnEnd?.snapshotId;
    }
  }
}

// As fast as the reader takes it. How much there was to say.
async function sayPage(page: UpdatePage, stream: TextStream, encode: Encode): Promise<number> {
  let length = 0;
  for (const text of piecesOf(page, encode)) {
    length += text.length;
    if (!stream.say(text)) await stream.clear();
  }
  return length;
}

function tooSlow(): TurnkeepError {
  return new TurnkeepError("RESOURCE_EXHAUSTED", "The reader is too slow for this run.", {
    reason: "LIMIT_EXCEEDED",
  });
}
